# The words a person types; the build itself is Meson's (meson.build). What stands here is what `make help` prints.
#
#   make run        install what is missing, build, show the ten top methods and open the viewer (TRACE=file);
#                   SITE=1 starts a site instead, with the example in it
#   make check      install what the tests need and run what each change has to pass; make test is the same
#   make check-all  the same, and what takes longer: threads under TSan, the page without a server, sites over PostgreSQL and S3,
#                   clang-tidy, more random traces, fuzzing, and these commands in a bare Debian
#   make build      leave build/release/traceview, stripped; PAGE=disabled builds without node, and without the viewer;
#                   ENGINE=enabled or disabled decides on the engine of pages without a server, built where clang-14 is
#   make site       leave build/static-site: the viewer as files for any static host, which need no server of ours;
#                   HOSTS="https://ci.example.com" lets it fetch traces from there
#   make deb        leave Debian's packages of the commit that is checked out in build/deb
#   make npm        leave the package for npm in build/npm-package: the command as WebAssembly, for Windows and macOS, too
#   make tarball    leave a tree for any x86-64 Linux with glibc 2.31 or later in build/portable/out
#   make install    install below PREFIX (/usr/local), with DESTDIR; DMTRACEDUMP=true adds the program by that name
#   make uninstall  remove what make install put there, by the same variables
#   make bench      measure against the budgets (BENCH=--record keeps it: docs/performance.md)
#   make fuzz       fuzz for a while (FUZZ_SECONDS)
#   make tidy       read all C with clang-tidy
#   make clean      remove build/
#
# run, check, check-all, deb, npm, tarball, fuzz and tidy install what is missing; the others say what is.

PREFIX ?= /usr/local
PAGE ?= enabled
ENGINE ?= auto
DMTRACEDUMP ?= false
EXAMPLE = tests/data/recipes.trace.zst
RELEASE = build/release
NEEDED = build $(if $(filter enabled,$(PAGE)),page) $(if $(filter enabled,$(ENGINE)),engine)

# Ends make in one line where something is missing.
need = $(eval missing := $(shell scripts/install --missing $(1)))$(if $(missing),$(error $(missing)))

HOSTS ?=

.PHONY: all help run check test check-all build site deb npm tarball bench fuzz tidy install uninstall clean
all: build

help:
	@sed -n 's/^#   //p' Makefile

run:
	@scripts/install $(NEEDED)
	@$(MAKE) --no-print-directory build
	@scripts/run $(if $(SITE),--site,"$(or $(TRACE),$(EXAMPLE))")

check test:
	@scripts/install build page engine tests
	@scripts/check $(CHECK)

check-all:
	@scripts/install build page engine tests fuzz readers npm deb bare
	@scripts/check --all

build:
	$(call need,$(NEEDED))
	@scripts/build $(RELEASE) "$(PREFIX)" $(PAGE) $(ENGINE) $(DMTRACEDUMP)

site:
	$(call need,build page engine)
	@$(MAKE) --no-print-directory build PAGE=enabled ENGINE=enabled
	@scripts/build_site build/static-site $(RELEASE)/src/engine/engine.wasm $(RELEASE)/src/engine/engine-exports.wasm $(EXAMPLE) $(HOSTS)

deb:
	@scripts/install build page engine java deb
	@scripts/deb

npm:
	@scripts/install build page engine npm
	@scripts/npm

tarball:
	@scripts/install build page engine java npm
	@scripts/tarball

bench: build
	@bench/run $(BENCH)

fuzz:
	@scripts/install build fuzz
	@scripts/fuzz

tidy:
	@scripts/install build tests
	@scripts/tidy

install: build
	@scripts/install_below $(RELEASE) "$(PREFIX)" "$(DESTDIR)"

uninstall:
	$(call need,$(NEEDED))
	@scripts/build --only-configure $(RELEASE) "$(PREFIX)" $(PAGE) $(ENGINE) $(DMTRACEDUMP)
	@scripts/install_below --remove $(RELEASE) "$(PREFIX)" "$(DESTDIR)"

clean:
	rm -rf build

.DEFAULT:
	$(error there is no '$@' to make: see make help)
