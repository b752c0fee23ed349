#!/bin/bash
# Compares `assay solve --engine ic3` with the pdr of berkeley-abc on the word-level
# hardware tasks, one task after the other: make bench-ic3.
#
#   bench-ic3.sh ASSAY TASKS.csv LIMIT OUT.csv
#
# Both get the same model: ABC reads what `assay export --to plain` writes (latches
# with reset 0, one output). Times are wall clock of the whole process; that of
# assay includes reading BTOR2 and the check of the certificate by Z3. ABC's
# counterexamples are simulated on our model. A disagreement is printed and counted
# for nobody.
set -u
assay=$1 tasks=$2 limit=$3 out=$4
abc=${ABC:-berkeley-abc}
command -v "$abc" > /dev/null || { echo "bench-ic3: $abc is missing: apt-get install berkeley-abc" >&2; exit 3; }
root=$(dirname "$tasks")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$(dirname "$out")"
echo "id,assay,assay_s,abc,abc_s,note" > "$out"

clock() { date +%s.%N; }
since() { awk -v a="$1" -v b="$(clock)" 'BEGIN { printf "%.3f", b - a }'; }

while IFS=, read -r id set file _; do
	[[ $set == hwmc ]] || continue
	model=$root/$file
	note=

	start=$(clock)
	timeout $((limit + 5)) "$assay" solve --engine ic3 --timeout "$limit" "$model" > "$work/ours" 2> "$work/ours.err"
	code=$?
	ours_s=$(since "$start")
	case $code in
	0) ours=unsat ;;
	1) ours=sat ;;
	2) ours=unknown ;;
	*) ours=error note="assay: exit code $code: $(head -1 "$work/ours.err" | tr ',' ' ')" ;;
	esac

	theirs=unknown theirs_s=$limit
	if "$assay" export --to plain -o "$work/m.aig" "$model" 2> "$work/export.err"; then
		rm -f "$work/cex"
		start=$(clock)
		timeout "$limit" "$abc" -s -q "read_aiger $work/m.aig; pdr; write_cex -a $work/cex" > "$work/theirs" 2>&1
		theirs_s=$(since "$start")
		if grep -q 'Property proved' "$work/theirs"; then
			theirs=unsat
		elif frame=$(sed -n 's/.*was asserted in frame \([0-9]*\)\..*/\1/p' "$work/theirs" | head -1) && [[ -n $frame ]]; then
			theirs=sat
			# ABC writes the latches, then the inputs of each step, then "# DONE".
			{
				printf '1\nb0\n'
				if [[ $(head -c 100 "$work/m.aig" | awk 'NR == 1 { print $3 }') == 0 ]]; then
					head -1 "$work/cex" | sed 's/# DONE//'
					for ((k = 0; k <= frame; k++)); do echo; done
				else
					sed 's/# DONE//' "$work/cex"
				fi
				echo .
			} > "$work/witness"
			"$assay" simulate --plain "$model" "$work/witness" > /dev/null 2> "$work/sim.err" ||
				note="ABC's counterexample is refuted: $(head -1 "$work/sim.err" | tr ',' ' ')"
		fi
	else
		note="export: $(head -1 "$work/export.err" | tr ',' ' ')"
	fi
	if [[ $ours != "$theirs" && $ours != unknown && $theirs != unknown ]]; then
		note="DISAGREE $note"
	fi
	printf '%-12s assay %-8s %8s   abc %-8s %8s  %s\n' "$id" "$ours" "$ours_s" "$theirs" "$theirs_s" "$note"
	echo "$id,$ours,$ours_s,$theirs,$theirs_s,$note" >> "$out"
done < "$tasks"

awk -F, -v limit="$limit" '
	NR == 1 { next }
	$6 ~ /DISAGREE|refuted/ { wrong++; next }
	{
		a = $2 == "sat" || $2 == "unsat"; b = $4 == "sat" || $4 == "unsat"
		ours += a; theirs += b
		if (a && b) { n++; log_sum += log($3 / $5); if ($3 > 1 || $5 > 1) { m++; slow += log($3 / $5) } }
	}
	END {
		printf "limit %s s: assay solved %d, abc solved %d, disagreements %d\n", limit, ours, theirs, wrong
		if (n) printf "geometric mean of time ratios assay/abc on %d commonly solved: %.3f\n", n, exp(log_sum / n)
		if (m) printf "the same on the %d of them that took one of the two more than 1 s: %.3f\n", m, exp(slow / m)
	}' "$out"
