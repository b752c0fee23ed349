# make help shows the targets.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help deps models clang build demo test tests vet correct dead bench bench-ic3 fuzz fuzz-input fuzz-binaries fuzz-csmith fuzz-instructions fuzz-placement fuzz-random fuzz-native fuzz-library fuzz-temporal fuzz-ctl fuzz-witnesses oracle-bounds twice clean

# Where the tasks with known verdicts lie (make bench).
TASKS ?= ../shared/bench/tasks.csv
SETS  ?= llumc,basic,bitvector
LIMIT ?= 10
JOBS  ?= 2
# How long each fuzz target runs, and how many inputs make fuzz-input tries.
FUZZTIME ?= 30s
N     ?= 1000
SEED  ?= 1
FLAGS ?= --timeout 10s

# What is compiled does not depend on where the checkout lies: another one, of a branch or of CI, finds it in Go's cache.
export GOFLAGS ?= -trimpath

# Every program and test links LLVM: by the fastest linker that is there (mold: scripts/deps.sh; gold: binutils).
export CGO_LDFLAGS ?= -O2 -g$(if $(shell command -v ld.mold), -fuse-ld=mold,$(if $(shell command -v ld.gold), -fuse-ld=gold))

help: ## show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## install what is missing on Debian (clang, LLVM, Z3, CaDiCaL, csmith)
	@scripts/deps.sh

models: deps ## compile the library models to bitcode, if their sources changed
	@scripts/models.sh

clang: deps ## link bin/assay-clang, with which assay starts faster, if clang's libraries are here
	@scripts/clang.sh

build: models clang ## build bin/assay
	go build -o bin/assay ./cmd/assay

demo: build ## check the bundled examples and show the verdicts
	@examples/demo.sh bin/assay

vet: correct dead ## look for what is not formatted, suspicious, or never called

correct:
	@unformatted=$$(gofmt -l .); if [[ -n "$$unformatted" ]]; then echo "not formatted: $$unformatted"; exit 1; fi
	go vet ./...

# With the flags of the build it finds what cgo made in Go's cache. The paths there may be those of another checkout, which
# makes functions look dead: what it finds is looked for once more, without the flags.
dead:
	@dead=$$(go tool deadcode -test ./...) && { [[ -z "$$dead" ]] || dead=$$(GOFLAGS= go tool deadcode -test ./...); } || exit 1; \
	if [[ -n "$$dead" ]]; then echo "functions that nothing calls, and no test:"; echo "$$dead"; exit 1; fi

# The compiler, vet and deadcode take a tenth of their time less if they collect garbage seldom; the tests do as well.
build correct dead tests: export GOGC ?= 400

# Dead functions are looked for beside the tests: that takes one core.
test: build correct ## build, vet and run all tests
	@$(MAKE) --no-print-directory -j2 dead tests

# Tests compile thousands of small programs: by an assay-clang that has started, if it was built. Some of them wait, for
# processes and limits: one package more than there are cores is tested at once. The packages that take longest come first.
tests:
	clang="$(CURDIR)/bin/assay-clang"; [[ -x $$clang ]] || clang=; \
	ASSAY_CLANG=$$clang ASSAY_CLANG_SOCKET=$${clang:+$$clang.socket} $${clang:+"$$clang" __serve "$$clang.socket"} \
	go test -vet=off -timeout 60m -p $$(($$(nproc) + 1)) . ./cmd/assay ./internal/tests/corpus ./internal/tests/differential ./...

bench: build ## run sets of tasks: SETS=a,b LIMIT=10 JOBS=2 TASKS=file.csv
	@mkdir -p results
	bin/assay bench $(TASKS) --set $(SETS) --limit $(LIMIT) -j $(JOBS) --out results/bench.csv --html results/bench.html

bench-ic3: build ## compare IC3 with berkeley-abc's pdr on the set hwmc: LIMIT=60 TASKS=file.csv
	@scripts/bench-ic3.sh bin/assay $(TASKS) $(LIMIT) results/bench-ic3.csv

fuzz: build ## run every Go fuzz target for FUZZTIME, fuzz-placement, fuzz-random, fuzz-native, fuzz-library, fuzz-temporal, fuzz-ctl and fuzz-witnesses
	@scripts/fuzz.sh $(FUZZTIME)
	@$(MAKE) --no-print-directory fuzz-instructions N=1000
	@$(MAKE) --no-print-directory fuzz-placement N=100000
	@$(MAKE) --no-print-directory fuzz-random N=1000
	@$(MAKE) --no-print-directory fuzz-native N=5000
	@$(MAKE) --no-print-directory fuzz-library N=200
	@$(MAKE) --no-print-directory fuzz-temporal N=2000
	@$(MAKE) --no-print-directory fuzz-ctl N=2000
	@$(MAKE) --no-print-directory fuzz-witnesses N=300

fuzz-input: deps ## run the command on N mutated .c, .ll and .bc files
	ASSAY_FUZZ_INPUTS=$(N) go test -count=1 -timeout 10h -run TestHostileInputs -v ./cmd/assay

fuzz-csmith: models ## compare N programs of csmith with the compiled program (N=50 for a start)
	go run ./internal/tests/differential/cmd/fuzz-csmith -n $(N)

fuzz-binaries: models ## compare N programs of csmith, and all forms of instructions in 10,000 states, lifted with native; N damaged files (N=500 for a start)
	ASSAY_CSMITH=1:$(N) ASSAY_STATES=10000 ASSAY_DAMAGED=$(N) go test ./internal/program/binary/lift -run 'TestCsmith|TestInstructions|TestPrograms|TestDamaged' -timeout 4h -v

fuzz-library: models ## compare the library models with the library on N random sequences of calls for each program
	ASSAY_SEQUENCES=$(N) go test -count=1 -timeout 10h -run 'TestLibrary|TestSequences' -v ./internal/tests/differential

fuzz-native: models ## compare what is proved of N random programs about addresses with native runs
	ASSAY_CORPUS=all go test -count=1 -timeout 1h -run 'TestCorpus|TestBothSolvers' ./internal/tests/differential ./internal/tests/corpus
	go run ./internal/tests/differential/cmd/fuzz-native -n $(N)

fuzz-instructions: models ## compare N random programs in LLVM IR with the compiled program
	ASSAY_INSTRUCTIONS=$(N) go test -count=1 -timeout 10h -run TestInstructions -v ./internal/tests/differential

fuzz-placement: models ## compare N random programs about addresses with all placements of their objects
	ASSAY_FUZZ_PLACEMENT=$(N) go test -count=1 -timeout 10h -run TestRandomPrograms -v ./internal/tests/placement

oracle-bounds: models ## compare every bound of the sets bounds and bounds-its with N runs: N=100 TASKS=file.csv
	go test -count=1 -timeout 10h -v ./internal/tests/costs -args -tasks $(abspath $(TASKS)) -samples $(N)

fuzz-random: models ## the engines' and the checker's own random tests with N programs each (make test: 30 to 100)
	go test -count=1 -timeout 10h -run Random ./internal/engines/abstract ./internal/engines/induction -programs $(N)
	go test -count=1 -timeout 10h ./internal/logic/floats -times $$(($(N) / 25 + 1))
	go test -count=1 -timeout 10h -run Random ./internal/engines/transition/program -modules $(N)
	go test -count=1 -timeout 10h -run 'Random|AgainstEngine|Paths' ./internal/certify -programs $(N) -inductions $(N) -walked $(N)

fuzz-temporal: models ## compare answers about N pairs of a program and a formula of temporal logic with a search of all states
	go test -count=1 -timeout 10h -v ./internal/tests/temporal -pairs $(N)

twice: models ## answer N tasks twice: never true and false (FLAGS="--timeout 10s"; with --deterministic, not a byte differs)
	go test -count=1 -timeout 20h -run TestTwice -v ./cmd/assay -args -twice $(abspath $(TASKS)) -twice-count $(N) -twice-flags "$(FLAGS)"

fuzz-witnesses: models ## judge N changed witnesses, whose claims clang's programs decide on all inputs (SEED=1)
	go test -count=1 -timeout 10h -v ./internal/tests/witnesses -args -mutants $(N) -seed $(SEED)

fuzz-ctl: models ## compare answers about N pairs of a program and a formula of branching time with a list of all states; change proofs
	go test -count=1 -timeout 10h -v -run TestCTLRandom ./cmd/assay -random-ctl $(N)
	go test -count=1 -timeout 10h -v -run 'TestRandom|TestMutations' ./internal/integers/branching/search -random $(N) -mutations $(N)

clean: ## remove what was built
	rm -rf bin results
