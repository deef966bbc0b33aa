# nearfar: see README.md. `make help` lists the targets.
#
# Objects live in build/CONFIG/, one folder a configuration, so that a
# sanitizer build never mixes with a plain one.

VERSION  := 0.1.0
# A rule of the model that is taken away: backend_sim/rules/rules.h.
WITHOUT  ?=
CONFIG   ?= $(if $(WITHOUT),ablate,release)
CC       ?= gcc
PREFIX   ?= /usr/local
JOBS     ?= $(shell nproc)
B        := build/$(CONFIG)

LIBRARIES := hwloc libcpuid jansson nlopt yaml-0.1 yajl zlib sqlite3

CFLAGS_release := -O3 -g -flto=auto -DNDEBUG
# What a test itself does takes little time, against that of optimising it.
CFLAGS_release_tests := -O2 -fno-lto
CFLAGS_release_unit  := -O0 -fno-lto
CFLAGS_dev     := -O2 -g
# Linked once for each rule that is taken away, in a second.
CFLAGS_ablate  := -O3 -DNDEBUG
CFLAGS_asan    := -O1 -g -fsanitize=address,undefined,float-cast-overflow \
		  -fno-sanitize-recover=all -fno-omit-frame-pointer
# Built for each mutant, and to count which lines the tests run.
CFLAGS_mutants  := -O1
CFLAGS_coverage := -O0 -g --coverage
LDFLAGS_coverage := --coverage
CFLAGS_tsan    := -O1 -g -fsanitize=thread -fno-omit-frame-pointer
# Journals belong to a build; clang leaves no digest of it unless told to.
LDFLAGS_all    := -Wl,--build-id
CFLAGS_fuzz    := -O1 -g -fno-omit-frame-pointer -fno-sanitize-recover=all \
		  -fsanitize=fuzzer-no-link,address,undefined,float-cast-overflow
# Without AddressSanitizer, several times as fast; what it keeps is tried by fuzz.
CFLAGS_fuzzfast := -O2 -g -fsanitize=fuzzer-no-link -fsanitize-trap=all \
		  -fsanitize=bounds,shift,integer-divide-by-zero \
		  -fsanitize=signed-integer-overflow,float-cast-overflow
LDFLAGS_fuzz   := -fsanitize=address,undefined,float-cast-overflow
LDFLAGS_asan   := -fsanitize=address,undefined,float-cast-overflow
LDFLAGS_tsan   := -fsanitize=thread

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	    -Wno-missing-field-initializers \
	    -Wpointer-arith -Wwrite-strings -Wvla -Werror=implicit

# Asked once, and only by what compiles: `help` and `deps` work without.
PKG_CFLAGS = $(eval PKG_CFLAGS := $$(shell pkg-config --cflags \
	     $(LIBRARIES)))$(PKG_CFLAGS)
PKG_LIBS   = $(eval PKG_LIBS := $$(shell pkg-config --libs \
	     $(LIBRARIES)))$(PKG_LIBS)

ALL_CFLAGS  = -std=c11 -D_GNU_SOURCE -DNEARFAR_VERSION='"$(VERSION)"' \
	      $(WARNINGS) $(CFLAGS_$(CONFIG)) $(CFLAGS) -I. $(PKG_CFLAGS)
ALL_LDFLAGS = $(LDFLAGS_all) $(LDFLAGS_$(CONFIG)) $(LDFLAGS)
ALL_LIBS    = $(PKG_LIBS) -ldl -lm -pthread

SOURCES  := $(filter-out harness/main.c,$(sort $(shell \
	    find harness bench backend_sim backend_cuda -name '*.c')))
OBJECTS  := $(SOURCES:%.c=$(B)/%.o) $(B)/backend_sim/machines.o \
	    $(B)/harness/page/assets.o $(B)/harness/command/topics_table.o \
	    $(B)/harness/explain/limits.o $(B)/harness/split/suites.o
TOPICS   := $(sort $(wildcard harness/command/topics/*.txt))
MACHINES := $(sort $(wildcard backend_sim/machines/*.yaml))

.PHONY: all
all: $(if $(WITHOUT),$(B)/without/$(WITHOUT)/nearfar,build/nearfar) ## build build/nearfar; WITHOUT=RULE

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | \
		awk -F'\t' '{printf "%-19s%s\n", $$1, $$2}'

# ---- building ----

# Rebuild when a flag changes.
FLAGS = $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(CFLAGS_$(CONFIG)_tests) \
	$(CFLAGS_$(CONFIG)_unit)
$(B)/flags: FORCE | libraries
	@mkdir -p $(@D)
	@echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' > $@
.PHONY: FORCE
FORCE:

.PHONY: libraries
libraries:
	@for l in $(LIBRARIES); do pkg-config --exists $$l 2>/dev/null || { \
	echo "nearfar needs $$l; 'make deps' installs what is missing" >&2; \
	exit 1; }; done

FLAGS_OF = $(if $(filter tests/unit/%,$1),$(CFLAGS_$(CONFIG)_unit),$(if \
	   $(filter tests/%,$1),$(CFLAGS_$(CONFIG)_tests)))
$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	@echo '  CC      $<'
	@$(CC) $(ALL_CFLAGS) $(call FLAGS_OF,$<) -MMD -MP -c $< -o $@

# The machine files, the topics of help, and the model's errors travel inside the
# binary.
EMBED := harness/base/embed.sh

$(B)/backend_sim/machines.S: $(MACHINES) $(EMBED)
	@mkdir -p $(@D)
	@$(EMBED) machine_files $(MACHINES) > $@

$(B)/harness/command/topics.S: $(TOPICS) $(EMBED)
	@mkdir -p $(@D)
	@$(EMBED) topics $(TOPICS) > $@

$(B)/harness/explain/limits.S: results/limits.tsv $(EMBED)
	@mkdir -p $(@D)
	@$(EMBED) explain_limits $< > $@

$(B)/harness/explain/limits.o: $(B)/harness/explain/limits.S
	@$(CC) -c $< -o $@

$(B)/harness/split/suites.S: results/suite.txt $(EMBED)
	@mkdir -p $(@D)
	@$(EMBED) suites $< > $@

$(B)/harness/split/suites.o: $(B)/harness/split/suites.S
	@$(CC) -c $< -o $@

$(B)/backend_sim/machines.o: $(B)/backend_sim/machines.S
	@$(CC) -c $< -o $@

$(B)/harness/command/topics_table.o: $(B)/harness/command/topics.S
	@$(CC) -c $< -o $@

# The report's style and scripts do, too. uPlot, which draws its charts, comes
# from npm when the tool is built; without it the page has static pictures.
UPLOT        := build/npm/uplot-1.6.32
UPLOT_SHA256 := \
	19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f
PAGE_ASSETS  := $(wildcard harness/page/assets/*)

# Once npm is there, what was built without it is built again.
ifneq ($(shell grep -qs "not installed" $(UPLOT)/missing && command -v npm),)
UPLOT_AGAIN  := FORCE
endif
$(UPLOT)/uplot.js: $(UPLOT_AGAIN)
	@tests/support/uplot.sh $(@D) $(UPLOT_SHA256)

$(B)/harness/page/assets.S: $(PAGE_ASSETS) $(UPLOT)/uplot.js
	@harness/page/assets/embed.sh harness/page/assets $(UPLOT) $(@D)

$(B)/harness/page/assets.o: $(B)/harness/page/assets.S
	@$(CC) -c $< -o $@

$(B)/nearfar: $(B)/harness/main.o $(OBJECTS)
	@echo '  LINK    $@'
	@$(CC) $(ALL_LDFLAGS) $^ -o $@ $(ALL_LIBS)

build/nearfar: $(B)/nearfar
	@cp -f $< $@

# Without a rule only those files are other ones that ask for it.
ifneq ($(WITHOUT),)
RULES_H  := backend_sim/rules/rules.h
ifeq ($(shell grep -oF 'X($(WITHOUT))' $(RULES_H)),)
$(error $(RULES_H) has no rule '$(WITHOUT)')
endif
W        := $(B)/without/$(WITHOUT)
ASKING_O := $(patsubst %.c,%.o,$(shell grep -lF 'RULE($(WITHOUT))' $(SOURCES)))

$(W)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	@echo '  CC      $< without $(WITHOUT)'
	@$(CC) $(ALL_CFLAGS) -DNEARFAR_WITHOUT=$(WITHOUT) -MMD -MP -c $< -o $@

$(W)/nearfar: $(B)/harness/main.o $(ASKING_O:%=$(W)/%) \
		$(filter-out $(ASKING_O:%=$(B)/%),$(OBJECTS))
	@echo '  LINK    $@'
	@$(CC) $(ALL_LDFLAGS) $^ -o $@ $(ALL_LIBS)

-include $(ASKING_O:%.o=$(W)/%.d)
endif

# With -flto each link generates the code of the whole product, which takes most
# of a build. Of `nearfar` alone that pays: a function that no other program can
# call is inlined where it is called once. All tests are linked to one object,
# whose code was generated before.
PRODUCT_release := $(B)/product.o
PRODUCT         := $(or $(PRODUCT_$(CONFIG)),$(OBJECTS))

$(B)/product.o: $(OBJECTS)
	@echo '  LINK    $@'
	@$(CC) -r -flinker-output=nolto-rel --param lto-partitions=8 $^ -o $@

# A page a command and a topic, which the program itself writes.
.PHONY: man
man: build/nearfar ## man pages of commands and topics, into build/man
	@rm -rf build/man && mkdir -p build/man
	@build/nearfar help --man >build/man/nearfar.1
	@build/nearfar help --pages | while read -r section name; do \
		build/nearfar help --man $$name \
			>build/man/nearfar-$$name.$$section || exit 1; done
	@echo "man pages: build/man"

# What there is to read, in folders as here.
PAGES = README.md LICENSE backend_cuda/README.md $(wildcard backend_sim/*.md) \
	$(wildcard harness/command/*.md) results/README.md results/accuracy.md \
	tests/README.md .github/CONTRIBUTING.md $(wildcard results/log/*.md results/figures/*.svg \
	results/schema/*.json)

# Everything that install puts somewhere: what, mode, where.
SHARE = $(DESTDIR)$(PREFIX)/share
.PHONY: install
install: build/nearfar ## into $(DESTDIR)$(PREFIX); man pages if `make man` made them
	install -Dm755 build/nearfar $(DESTDIR)$(PREFIX)/bin/nearfar
	tests/support/pages.sh $(SHARE)/doc/nearfar $(PAGES)
	install -Dm644 harness/command/completion/nearfar.bash \
		$(SHARE)/bash-completion/completions/nearfar
	install -Dm644 harness/command/completion/nearfar.bash \
		$(SHARE)/nearfar/nearfar.bash
	install -Dm644 harness/command/completion/_nearfar \
		$(SHARE)/zsh/site-functions/_nearfar
	for page in build/man/nearfar*.[1-9]; do [ ! -e $$page ] || \
		install -Dm644 $$page \
			$(SHARE)/man/man$${page##*.}/$${page##*/}; done

.PHONY: uninstall
uninstall: ## what install put there, away
	rm -f $(DESTDIR)$(PREFIX)/bin/nearfar \
		$(SHARE)/bash-completion/completions/nearfar \
		$(SHARE)/zsh/site-functions/_nearfar \
		$(SHARE)/man/man1/nearfar.1 $(SHARE)/man/man[157]/nearfar-*
	rm -rf $(SHARE)/doc/nearfar $(SHARE)/nearfar

.PHONY: deb
deb: ## a Debian package, build/nearfar_VERSION_ARCHITECTURE.deb; MAINTAINER
	@tests/support/deps.sh build deb
	@$(MAKE) --no-print-directory -j$(JOBS) build/nearfar
	@$(MAKE) --no-print-directory man
	@MAINTAINER='$(MAINTAINER)' tests/support/deb.sh $(VERSION) $(UPLOT)
	@lintian --fail-on error build/nearfar_$(VERSION)_*.deb

.PHONY: clean
clean: ## remove build/
	rm -rf build

# ---- what a newcomer types ----

DEPS ?= build
.PHONY: deps
deps: ## install what is missing to build and test
	@tests/support/deps.sh $(DEPS)

.PHONY: deps-dev
deps-dev: ## the same for format, tidy, perf, scipy and clang's kernels
	@tests/support/deps.sh build lint fuzz perf references kernels

# The build is a make of its own: the libraries come first.
.PHONY: demo
demo: ## the four kernels on the model, beside the committed silicon
	@tests/support/deps.sh build
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@tests/support/demo.sh build/nearfar build/demo $(UPLOT)

# What the model says is not committed: results/same.tsv has its digests.
NETS := build/results
.PHONY: results
results: build/nearfar ## the model's series of all suites, into build/results; goes on where it was
	@tests/nets/model.py build/nearfar $(NETS) h200-sxm

SAME_FLAGS = $(if $(QUICK),--quick) $(if $(CLASS),--class $(CLASS))
.PHONY: same
same: build/nearfar ## name what moved of what the model and the pages say; QUICK=1, CLASS=model|words
	@NEARFAR=build/nearfar tests/nets/same.py build/nearfar \
		$(if $(QUICK),$(NETS)-quick,$(NETS)) $(SAME_FLAGS)

.PHONY: same-update
same-update: build/nearfar ## rewrite results/same.tsv; review what it names
	@NEARFAR=build/nearfar tests/nets/same.py build/nearfar $(NETS) \
		--update $(SAME_FLAGS)

.PHONY: gate
gate: build/nearfar ## the model's errors on two chips against results/limits.tsv; CHIP=h200-sxm
	@tests/nets/gate.py build/nearfar $(NETS) $(if $(CHIP),--chip $(CHIP))

.PHONY: gate-update
gate-update: build/nearfar ## lower limits to what is reached; REASON="..." may raise them
	@tests/nets/gate.py build/nearfar $(NETS) --update \
		$(if $(REASON),--reason "$$REASON")

KERNEL_SILICON := $(sort $(wildcard results/kernels/h200-sxm*.tsv)) \
		  results/kernels/sequences-h200-sxm.tsv
KERNEL_ERRORS  := --size small --caches cold
.PHONY: kernels-accuracy
kernels-accuracy: build/nearfar ## errors of kernels; KERNEL_ERRORS="--size warm --caches sequence"
	@tests/support/kernel_errors.py build/nearfar tests/kernels \
		$(KERNEL_SILICON) $(KERNEL_ERRORS)

.PHONY: accuracy
accuracy: results ## the model's errors against the committed silicon
	@tests/support/publish.sh --show "suite held_out far drawn net" \
		build/nearfar results

.PHONY: tables
tables: results ## where lines were found, silicon beside the model
	@tests/support/tables.sh build/nearfar results/h200-sxm \
		$(NETS)/h200-sxm/suite results/tables

CHECK ?=
QUICK ?=
.PHONY: publish
publish: $(if $(QUICK),build/nearfar,results) ## figures and tables of README.md and results/*.md; CHECK=1 compares, QUICK=1 without the model's suites
	@tests/support/publish.sh $(if $(CHECK),--check) \
		$(if $(QUICK),--quick) build/nearfar results

REFERENCE ?= ../shared/reference
.PHONY: published
published: build/nearfar ## the machines beside others' curves; REFERENCE=DIR
	@tests/support/published_half.sh build/nearfar $(REFERENCE) \
		results/published/half
	@tests/support/published.sh build/nearfar $(REFERENCE) results/published

# ---- tests ----

TEST_PROGRAMS := ptx/ptx_write ptx/legality_write ptx/forms_read \
		 hardware/agreement hardware/bare fleet/draw servers/feed
SUPPORT       := $(B)/tests/support/program_random.o \
		 $(B)/tests/support/machine_random.o
VALUES_C      := $(wildcard tests/values/*.c)
VALUES_O      := $(VALUES_C:%.c=$(B)/%.o)
FORMS_O       := $(B)/tests/forms/sets.o $(B)/tests/forms/write.o
UNIT          := $(sort $(shell find tests/unit -name '*.c'))
UNIT_OBJECTS  := $(UNIT:%.c=$(B)/%.o)
TEST_OBJECTS  := $(TEST_PROGRAMS:%=$(B)/tests/%.o) $(SUPPORT) \
		 $(VALUES_O) $(FORMS_O) $(B)/tests/forms/words.o
TEST_BINARIES := $(TEST_PROGRAMS:%=$(B)/tests/%) $(B)/tests/unit/all \
		 $(B)/tests/values/differ \
		 $(B)/tests/forms/words
TEST_ENV      := NEARFAR=$(B)/nearfar TESTS=$(B)/tests

$(B)/tests/unit/all: $(UNIT_OBJECTS) $(B)/tests/support/program_random.o \
		$(B)/tests/support/machine_random.o $(FORMS_O) $(PRODUCT)
	@echo '  LINK    $@'
	@$(CC) $(ALL_LDFLAGS) $^ -o $@ $$(pkg-config --libs criterion) \
		$(ALL_LIBS)

$(TEST_PROGRAMS:%=$(B)/tests/%): $(B)/tests/%: $(B)/tests/%.o \
		$(B)/tests/support/program_random.o $(PRODUCT)
	@echo '  LINK    $@'
	@$(CC) $(ALL_LDFLAGS) $^ -o $@ $(ALL_LIBS)

$(B)/tests/forms/words: $(B)/tests/forms/words.o $(FORMS_O)
	@echo '  LINK    $@'
	@$(CC) $(ALL_LDFLAGS) $^ -o $@

$(B)/tests/values/differ: $(VALUES_O) $(PRODUCT)
	@echo '  LINK    $@'
	@$(CC) $(ALL_LDFLAGS) $^ -o $@ $(ALL_LIBS)

# Preloaded, or in the place of a driver: no sanitizer of the program's.
PRELOADS := $(B)/tests/support/fault.so $(B)/tests/support/fake_cuda.so \
	    $(B)/tests/support/fake_nvml.so
$(PRELOADS): $(B)/%.so: %.c $(B)/flags
	@mkdir -p $(@D)
	@$(CC) -std=c11 -D_GNU_SOURCE -O1 -g -shared -fPIC -I. $< -o $@ -ldl

$(B)/tests/faults/faults: tests/faults/faults.c $(B)/flags
	@mkdir -p $(@D)
	@$(CC) -std=c11 -D_GNU_SOURCE -O1 -g $(WARNINGS) $< -o $@
TEST_BINARIES += $(PRELOADS) $(B)/tests/faults/faults

# What each part needs besides the program. Of the parts the long ones come first.
FAKES           := $(PRELOADS:$(B)/tests/%=%)
NEEDS_unit      := unit/all
NEEDS_cli       := fleet/draw
NEEDS_files     := hardware/agreement hardware/bare values/differ
NEEDS_faults    := faults/faults $(FAKES)
NEEDS_ptx       := ptx/ptx_write ptx/legality_write ptx/forms_read
NEEDS_values    := values/differ
NEEDS_servers   := servers/feed
NEEDS            = $(foreach p,$(PARTS),$(NEEDS_$(firstword $(subst -, ,$p))))

PARTS ?= unit ptx faults cli fit golden files layers nets oracle values \
	  servers explain docs
.PHONY: check
check: $(B)/nearfar $(NEEDS:%=$(B)/tests/%) ## all tests; never needs a GPU
	@$(TEST_ENV) JOBS=$(JOBS) tests/check.sh $(PARTS)

.PHONY: golden-update
golden-update: $(B)/nearfar ## rewrite tests/golden/*.txt, and what commands print on pages; review the diff
	@$(TEST_ENV) tests/golden/check.sh --update
	@grep -l '^    \$$ ' $(TOPICS) $$(tests/docs/pages.py --names) | \
		NEARFAR=$(B)/nearfar xargs tests/docs/commands.py --update

.PHONY: check-explain
check-explain: $(B)/nearfar ## explain and profiles beside kernels of one busy server, a GPU's samples, and gains; REFERENCE=DIR has more
	@r=0; for t in first stalls gains; do \
		NEARFAR=$(B)/nearfar REFERENCE=$(REFERENCE) \
			tests/explain/$$t.py || r=1; \
	done; exit $$r

.PHONY: check-page
check-page: $(B)/nearfar ## the report in headless Chromium
	@tests/support/deps.sh page
	@tests/page/check.sh $(B)/nearfar build/page $(UPLOT)

.PHONY: check-large
check-large: $(B)/nearfar ## ten million samples in one file, within 512 MiB
	@tests/large/check.py $(B)/nearfar build/large

.PHONY: check-slurm
check-slurm: $(B)/nearfar ## a suite in 32 parts under Slurm on this machine; jobs are killed
	@tests/support/deps.sh slurm
	@tests/slurm/check.sh $(B)/nearfar

OUT ?= build/hw
.PHONY: check-hw
check-hw: $(B)/nearfar $(B)/tests/hardware/agreement \
		$(B)/tests/hardware/bare $(B)/tests/values/differ ## on a machine with a GPU
	@tests/hardware/check.sh $(B)/nearfar $(OUT) $(B)/tests/hardware

.PHONY: check-pair
check-pair: $(B)/nearfar ## far memory, on a machine with two GPUs: OUT.tgz
	@tests/hardware/pair.sh $(B)/nearfar $(OUT).tgz results/pair.txt

.PHONY: asan
asan: ## the tests under AddressSanitizer and UBSan
	@$(MAKE) --no-print-directory CONFIG=asan check PARTS="unit golden cli"

.PHONY: tsan
tsan: ## workers under ThreadSanitizer, and -j 4 against -j 1
	@$(MAKE) --no-print-directory CONFIG=tsan build/tsan/nearfar
	@NEARFAR=build/tsan/nearfar tests/race/check.sh

RULES ?=
MINUTES ?=
KIND ?=
.PHONY: ablate
ablate: build/nearfar ## what each rule of the model gains, by five judges on two chips; RULES, KIND, MINUTES, resumable
	@tests/nets/ablate.py build/nearfar build/ablate/nets $(RULES) \
		$(if $(MINUTES),--minutes $(MINUTES)) $(if $(KIND),--kind $(KIND))

SEED ?=
.PHONY: blind
blind: build/nearfar ## a draw of programs that nobody fits to: SEED=N draws, then compares once with what was measured
	@tests/nets/blind.sh step build/nearfar '$(SEED)'

COUNT  ?= 1000
LEVELS ?=
.PHONY: oracle
oracle: $(B)/nearfar ## random C by nvcc and clang-16 against the host's words: SEED, COUNT, LEVELS=nvcc-0,clang-3, resumable
	@tests/oracle/oracle.py $(B)/nearfar build/oracle/host \
		--seed $(or $(SEED),1) --count $(COUNT) \
		$(if $(LEVELS),--levels $(LEVELS))

.PHONY: oracle-lanes
oracle-lanes: $(B)/nearfar ## lanes that talk, and orders of memory, against a GPU's words: COUNT of 2000, resumable
	@tests/oracle/lanes.py $(B)/nearfar build/oracle/lanes --count $(COUNT)

.PHONY: oracle-passes
oracle-passes: $(B)/nearfar ## random PTX with and without the model's assembler: SEED, COUNT, resumable
	@tests/oracle/passes.py $(B)/nearfar build/oracle/passes \
		--seed $(or $(SEED),1) --count $(COUNT)

PTXAS ?= /usr/local/cuda/bin/ptxas
.PHONY: oracle-headers
oracle-headers: $(B)/tests/ptx/forms_read ## PTX that a CUDA toolkit's headers write: what ptxas takes, the reader takes; PTXAS
	@PYTHONDONTWRITEBYTECODE=1 tests/ptx/headers.py $(PTXAS) $<

FUZZ_SEED   ?= 1
FUZZ_RUNS   ?= 100000
FUZZ_CC     ?= clang-14
FUZZ_O      := $(patsubst %.c,$(B)/%.o,$(wildcard tests/fuzz/*.c))

# Built by clang, for its libFuzzer, as CONFIG=fuzz and as CONFIG=fuzzfast.
$(B)/tests/fuzz/targets: $(FUZZ_O) $(PRODUCT)
	@echo '  LINK    $@'
	@$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer $^ -o $@ $(ALL_LIBS)

.PHONY: fuzz
fuzz: $(B)/nearfar $(B)/tests/values/differ ## libFuzzer on every reader; FUZZ_RUNS, resumable
	@$(MAKE) --no-print-directory CONFIG=fuzz CC=$(FUZZ_CC) \
		build/fuzz/tests/fuzz/targets
	@NEARFAR=$(B)/nearfar tests/fuzz/check.sh \
		build/fuzz/tests/fuzz/targets $(FUZZ_RUNS)

MUTANTS     ?= 300
MUTANT_SEED ?= 1
MUTANT_ROOMS ?=
FUZZ_ONLY ?=
.PHONY: fuzz-long
fuzz-long: $(B)/nearfar $(B)/tests/values/differ ## until tests/fuzz/executions.tsv has what it wants, by a fast build, then a sanitised one; FUZZ_ONLY, resumable
	@for c in fuzz fuzzfast; do \
		$(MAKE) --no-print-directory CONFIG=$$c CC=$(FUZZ_CC) \
		build/$$c/tests/fuzz/targets || exit 1; done
	@NEARFAR=$(B)/nearfar FUZZ_ONLY='$(FUZZ_ONLY)' tests/fuzz/check.sh \
		build/fuzz/tests/fuzz/targets --long \
		build/fuzzfast/tests/fuzz/targets

.PHONY: mutants
mutants: ## take one rule away at a time; MUTANTS, MUTANT_SEED, MUTANT_ROOMS, resumable
	@$(MAKE) --no-print-directory CONFIG=coverage mutants-reach
	@tests/mutants/run.py draw $(MUTANTS) $(MUTANT_SEED) $(MUTANT_ROOMS)

# Another share with each commit.
MUTANT_SHARE ?= 8
.PHONY: mutants-share
mutants-share: ## a share of the mutants that the table calls dead, again; MUTANT_SHARE
	@python3 tests/mutants/watch.py
	@tests/mutants/run.py share $(MUTANT_SHARE) \
		$$(git rev-list --count HEAD 2>/dev/null || echo 1)

.PHONY: mutants-reach
mutants-reach: $(B)/nearfar $(TEST_BINARIES)
	@tests/mutants/reach.py

.PHONY: coverage
coverage: ## which lines of the product the tests run, by room
	@$(MAKE) --no-print-directory CONFIG=coverage mutants-reach
	@tests/mutants/reach.py --rooms

.PHONY: matrix
matrix: ## gcc and clang, -O0 to -O3: the same bytes
	@tests/matrix/check.sh

.PHONY: cppcheck
cppcheck: ## cppcheck, with the reasons of tests/cppcheck.txt
	@cppcheck --quiet --error-exitcode=1 --std=c11 -I. \
		--enable=warning,performance,portability --inline-suppr \
		--suppressions-list=tests/cppcheck.txt \
		--library=posix -D_GNU_SOURCE -DNEARFAR_VERSION='""' \
		-j$(JOBS) harness bench backend_sim backend_cuda
	@echo 'cppcheck: nothing found'

FAULTS_ONLY ?=
.PHONY: faults
faults: $(B)/nearfar $(PRELOADS) $(B)/tests/faults/faults ## each call fails once, and from then on; FAULTS_ONLY="table,run part", resumable
	@$(TEST_ENV) FAULTS_ONLY='$(FAULTS_ONLY)' tests/faults/check.sh --all

KILLS ?= 500
.PHONY: kills
kills: $(B)/nearfar ## signals at random moments of run, fit and a part of one, all resumed
	@$(TEST_ENV) tests/kills/check.sh $(KILLS)

FIT_SEED  ?= 20261122
FIT_COUNT ?= 40
.PHONY: fit-check
fit-check: $(B)/nearfar ## drawn machines, found again by `nearfar fit`; resumable
	@tests/fit/check.sh $(B)/nearfar build/fit-check $(FIT_SEED) \
		$(FIT_COUNT) $(JOBS)

FLEET_SEED    ?= 1
FLEET_DEVICES ?= 1000
FLEET_FAULTY  ?= 20
FLEET_DAYS    ?= 16
.PHONY: fleet-check
fleet-check: $(B)/nearfar $(B)/tests/fleet/draw ## faults that `nearfar fleet odd` finds in a drawn fleet; FLEET_DEVICES, FLEET_DAYS, resumable
	@tests/fleet/check.sh $(B)/nearfar $(B)/tests/fleet/draw \
		build/fleet-check $(FLEET_SEED) $(FLEET_DEVICES) \
		$(FLEET_FAULTY) $(FLEET_DAYS)

.PHONY: perf
perf: $(B)/nearfar ## instruction counts against tests/perf/instructions.tsv
	@tests/perf/check.sh $(B)/nearfar

.PHONY: speed
speed: $(B)/nearfar ## requests a second on this machine, as tables
	@tests/perf/speed.sh $(B)/nearfar

.PHONY: bounds
bounds: $(B)/nearfar ## processor time and memory that it takes to prepare kernels of every shape
	@tests/perf/bounds.py $(B)/nearfar

.PHONY: perf-update
perf-update: $(B)/nearfar ## rewrite tests/perf/instructions.tsv
	@tests/perf/check.sh --update $(B)/nearfar

# ---- the source ----

CLANG_FORMAT ?= clang-format-14
CLANG_TIDY   ?= clang-tidy-14
# Asked of git, so that no folder is forgotten.
C_FILES       = $(wildcard $(shell \
		git ls-files -co --exclude-standard '*.c' '*.h'))

.PHONY: layers
layers: ## fail on an include that points the wrong way
	@tests/layers/layers.sh .

.PHONY: format
format: ## lay the source out
	@$(CLANG_FORMAT) -i $(C_FILES)

.PHONY: format-check
format-check: ## fail where `make format` would change something
	@$(CLANG_FORMAT) --dry-run -Werror $(C_FILES)
	@echo 'format: $(words $(C_FILES)) files as they should be'

TIDY_FLAGS = -std=c11 -D_GNU_SOURCE -DNEARFAR_VERSION=\"$(VERSION)\" \
	     -I. $(PKG_CFLAGS)
.PHONY: tidy
tidy: libraries ## clang-tidy with the checks of .clang-tidy
	@printf '%s\n' $(filter %.c,$(C_FILES)) | xargs -P$(JOBS) -n1 sh -c \
		'$(CLANG_TIDY) --quiet "$$@" -- $(TIDY_FLAGS) 2>/dev/null' tidy
	@echo 'tidy: $(words $(filter %.c,$(C_FILES))) files without a finding'

# ---- a folder that runs on a GPU node with only a driver ----

.PHONY: bundle
bundle: build/nearfar $(B)/tests/hardware/agreement \
		$(B)/tests/hardware/bare $(B)/tests/values/differ ## build/bundle, a folder for any x86-64 Linux; with libc and all
	@CC='$(CC)' tests/support/bundle.sh build/bundle $(B)
	@du -sh build/bundle

-include $(OBJECTS:.o=.d) $(B)/harness/main.d $(UNIT_OBJECTS:.o=.d) \
	 $(TEST_OBJECTS:.o=.d) $(FUZZ_O:.o=.d)
