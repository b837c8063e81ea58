# The words a person types; the build itself is Meson's (meson.build).
#
#   make run        install what is missing, build, show the ten top methods and open the viewer (TRACE=file)
#   make check      install what the tests need and run every test
#   make check-all  the same, and what takes longer than a quarter of an hour: clang-tidy, more random traces, fuzzing
#   make build      leave build/release/traceview, stripped
#   make bench      measure against the budgets (BENCH=--record keeps it: docs/performance.md)
#   make fuzz       fuzz for a while (FUZZ_SECONDS)
#   make tidy       read all C with clang-tidy
#   make install    install below PREFIX (/usr/local), with DESTDIR

PREFIX ?= /usr/local
EXAMPLE = tests/data/recipes.trace.zst
RELEASE = build/release
RELEASE_OPTIONS = --prefix=$(PREFIX) --buildtype=debugoptimized -Dasserts=false -Dhardening=true \
	-Dsplit_debug=true -Dtests=false

# Ends make in one line where a program is missing.
need = $(if $(shell command -v $(1)),,$(error $(1) is missing: run scripts/install build))

.PHONY: all run check check-all build bench fuzz tidy install clean
all: build

run:
	@scripts/install build
	@$(MAKE) --no-print-directory build
	@scripts/run "$(or $(TRACE),$(EXAMPLE))"

check:
	@scripts/install build tests
	@scripts/check

check-all:
	@scripts/install build tests fuzz
	@scripts/check --all

build: $(RELEASE)/build.ninja
	$(call need,ninja)
	@ninja --quiet -C $(RELEASE)

$(RELEASE)/build.ninja:
	$(call need,meson)
	@meson setup $(RELEASE) $(RELEASE_OPTIONS) >/dev/null

bench: build
	@bench/run $(BENCH)

fuzz:
	@scripts/install build fuzz
	@scripts/fuzz

tidy:
	@scripts/install build tests
	@scripts/tidy

install: build
	@meson install -C $(RELEASE) --no-rebuild

clean:
	rm -rf build
