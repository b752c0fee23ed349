#!/bin/bash
# Tries the README's two commands where nothing is installed: a new Debian 12
# with git, make and gcc, Go from this machine, and a clean clone of what is
# committed. Run it as root before every release:
#
#   scripts/fresh.sh              # make demo, then make test
#   scripts/fresh.sh demo         # one of them
#   scripts/fresh.sh 'go test ./internal/program/frontend'    # any other command
#
#   KEEP=1     leaves the system in $FRESH (default /var/tmp/assay-fresh), and
#              takes what is there; the clone is new each time
#   MIRROR=…   a Debian mirror; default: the one that apt uses here
#
# Modules come from this machine's module cache, then from GOPROXY.
set -euo pipefail
cd "$(dirname "$0")/.."
root=${FRESH:-/var/tmp/assay-fresh}
(($#)) || set -- demo test

if [[ $(id -u) != 0 ]]; then
  echo "run as root: it makes a system of its own and enters it" >&2
  exit 1
fi
command -v debootstrap >/dev/null || apt-get install -y -qq debootstrap >/dev/null
goroot=$(go env GOROOT)
modules=$(go env GOMODCACHE)/cache/download

# Mounts live in a name space that ends with this script.
if [[ ${IN_FRESH:-} != 1 ]]; then
  IN_FRESH=1 exec unshare --mount --propagation private "$0" "$@"
fi

# apt's own view of where packages come from.
targets=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' 'Component: main' | grep '^bookworm' || true)
mirror=${MIRROR:-$(awk '$1 == "bookworm" { print $2; exit }' <<<"$targets")}
if [[ -z $mirror ]]; then
  echo "apt knows no mirror of bookworm here: MIRROR=… $0" >&2
  exit 1
fi

if [[ ! -e $root/etc/debian_version ]]; then
  echo "making a Debian 12 in $root"
  mkdir -p "$root"
  if ! debootstrap --variant=minbase --include=ca-certificates,git,make,gcc bookworm "$root" "$mirror" >"$root.log" 2>&1; then
    tail -20 "$root.log" >&2
    exit 1
  fi
  rm -f "$root.log"
  { echo "deb $mirror bookworm main"; awk '$1 != "bookworm" { print "deb", $2, $1, "main" }' <<<"$targets"; } >"$root/etc/apt/sources.list"
  # Proxies and the like.
  apt-config dump | grep '^Acquire' >"$root/etc/apt/apt.conf.d/90host" || true
fi
for f in resolv.conf hosts; do cp "/etc/$f" "$root/etc/$f"; done

mkdir -p "$root"/{proc,dev,usr/local/go,var/modules,src}
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind "$goroot" "$root/usr/local/go"
mount --bind "$modules" "$root/var/modules"

rm -rf "$root/src/assay"
git clone -q --no-hardlinks . "$root/src/assay"
echo "clone of $(git rev-parse --short HEAD) in a system with $(chroot "$root" dpkg-query -W | wc -l) packages"

# Nothing of this machine's environment but the way to the modules.
environment=(PATH=/usr/local/go/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
  "GOPROXY=file:///var/modules,$(go env GOPROXY)" "GOSUMDB=off" "GOFLAGS=-buildvcs=false" GOTOOLCHAIN=local)
for v in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
  [[ -n ${!v:-} ]] && environment+=("$v=${!v}")
done
status=0
for command; do
  case $command in demo | test | build) command="make $command" ;; esac
  echo "== $command"
  start=$SECONDS
  code=0
  chroot "$root" /usr/bin/env -i "${environment[@]}" /bin/bash -c "cd /src/assay && $command" </dev/null || code=$?
  echo "== $command: exit $code after $((SECONDS - start)) s"
  ((code == 0)) || status=1
done

if [[ -z ${KEEP:-} ]]; then
  umount -R "$root/dev" "$root/proc" "$root/usr/local/go" "$root/var/modules"
  # Never through a mount that is still there.
  rm -rf --one-file-system "$root"
fi
exit $status
