# Hopwright: build, run, test. Everything goes into .venv and one cargo target folder.
#
#   make run       build, then simulate the chain of scenarios/chain.toml
#   make test      check style and types and run every test, with builds of its own that check more and are made faster
#   make guide-test     the steps that documentation tells for a protocol, an application and a MAC, on a copy
#   make test-release   what only the build that users get can show: its instructions, that it holds no paths, that its
#                  wheel works in an empty environment
#   make setup     build only
#   make lint      style and types only
#   make bench     compare speed with ns-2 (install Debian's ns2 for that), over TUN with smoltcp (root); a sweep's cost
#   make fuzz      arbitrary input for parsers and connections, 20 s each (FUZZ=-runs=10000000 for longer)
#   make mutants CRATE=link   mistakes in a crate that no test notices (ARGS='--sample 200 --seed 2')
#   make validate  the long comparisons; writes docs/validation.md
#   make judge     the studies of loss differentiators; renews their tables in docs/
#   make reference renew what is made from schemas: docs/reference.md and python/hopwright/scenario.py, all scenario keys;
#                  docs/results-fields.md and python/hopwright/results/result_types.py, all fields of results;
#                  docs/papers-functions.md, what measures of papers' files may name
#   make docs      the site of the manual, into target/site; its notebooks are executed
#   make viewer    check and build the page of `hopwright view` (Node 20 and npm); renews python/hopwright/view/page.html
#   make viewer-test    that page in a browser (chromium, or CHROMIUM=/path); LONG=1: 50 nodes over 900 s and 1,000 nodes as well
#   make playground     the simulator as WebAssembly, for a page of the site
#   make playground-test    that page in a browser, after make docs
#   make lock      renew requirements*.txt from requirements*.in
#   make kernel    the program behind `hopwright kernel`, into .venv/bin (needs clang, libelf, zlib)
#   make wheel     the package as others install it, in dist
#   make sbom      what it is made of (CycloneDX), in dist/sbom
#   make audit     licences, sources and known weaknesses of all dependencies
#   make clean     remove what was built

PYTHON ?= python3
VENV := .venv
AUDIT := .venv-audit
SITE := .venv-docs
BIN := $(VENV)/bin
CARGO ?= cargo
export CARGO_TARGET_DIR ?= $(CURDIR)/target
CHECKED := $(CARGO_TARGET_DIR)/checked
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
unexport PYTHONDONTWRITEBYTECODE
# The same random cases each time: what fails is due to the change at hand.
export PROPTEST_RNG_SEED ?= 1

UV_VERSION = $(shell sed -n 's/^uv==\([^ ]*\).*/\1/p' requirements.txt)
RUST_SOURCES := $(shell find crates -name '*.rs' -o -name Cargo.toml)

# What Rust's tests are compiled from, and read.
RUST_TESTED := Makefile Cargo.toml Cargo.lock rust-toolchain.toml clippy.toml docs/host.md \
  $(shell find crates mutants scenarios validation/ns2 validation/movements -type f -not -name '*.json' -not -name '*.pyc')

# Messages and debug lines of a release name a source by its place in the project or the registry: where it lay on the
# machine that built is nobody's business, and would make two machines' builds differ.
REGISTRY := $(or $(CARGO_HOME),$(HOME)/.cargo)
# Flags of a C compiler are split at blanks: a registry with one in its name stays as it is there.
C_FLAGS := $(CFLAGS) $(if $(word 2,$(REGISTRY)),,-ffile-prefix-map=$(REGISTRY)=cargo)
RELEASED = CFLAGS="$(C_FLAGS)" CARGO_ENCODED_RUSTFLAGS="$$(printf '%s\n' $(RUSTFLAGS) '--remap-path-prefix=$(CURDIR)=.' \
  '--remap-path-prefix=$(REGISTRY)=cargo' | awk '{ printf "%s%s", between, $$0; between = "\037" }')"
MATURIN = $(RELEASED) $(BIN)/maturin

# The crate kernel needs a compiler for the kernel's own programs, and two libraries. Tests have it where these are.
KERNEL_NEEDS = command -v clang >/dev/null && printf '%sinclude <libelf.h>\n%sinclude <zlib.h>\n' '\#' '\#' | cc -E -x c - >/dev/null 2>&1
KERNEL := $(shell $(KERNEL_NEEDS) && echo --features=hopwright-kernel/libbpf)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run setup test test-release lint rust-lint rust-test guide-test python-lint python-test checked bench \
  fuzz mutants validate judge reference docs playground playground-test viewer viewer-test lock kernel wheel sbom audit clean

help:
	@sed -n 's/^#  *\(make .*\)/\1/p' Makefile

run: setup
	$(BIN)/hopwright run scenarios/chain.toml

setup: $(VENV)/.extension

# The Python packages, with hashes.
$(VENV)/.packages: requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'Hopwright needs Python 3.11 or newer: install it, or say make PYTHON=/path/to/python3.'; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { echo 'Python cannot make a virtual environment; on Debian: apt-get install python3-venv.'; exit 1; }
	@test "$$($(BIN)/uv --version 2>/dev/null | cut -d' ' -f2)" = $(UV_VERSION) || { \
	  awk '/^[^ ]/ { uv = /^uv==/ } uv' requirements.txt > $(VENV)/uv.txt && \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r $(VENV)/uv.txt; }
# Not `sync`, which takes out what the file does not list: the program itself, if it is installed already.
	$(BIN)/uv pip install --quiet --compile-bytecode --require-hashes --no-deps -r requirements.txt
	@touch $@

# The simulator as an extension module; the Python files beside it are used where they are.
$(VENV)/.extension: $(VENV)/.packages $(RUST_SOURCES) Cargo.toml Cargo.lock pyproject.toml
	@command -v $(CARGO) >/dev/null || { echo 'Hopwright needs Rust (cargo): install it first.'; exit 1; }
	$(MATURIN) develop --release --locked --uv
	@$(BIN)/python -c 'import hopwright, matplotlib.font_manager'
	@touch $@

test: lint $(CARGO_TARGET_DIR)/.rust-tested python-test

# Rust's tests have passed on these files: what changes no other needs them again.
$(CARGO_TARGET_DIR)/.rust-tested: $(VENV)/.packages $(RUST_TESTED)
	@rm -f $@
	$(MAKE) --no-print-directory rust-test
	@touch $@

test-release: setup wheel
	$(BIN)/pytest tests/release

lint: rust-lint python-lint

# The fuzz targets have a lock file of their own, which a new dependency of a crate makes old.
rust-lint:
	$(CARGO) fmt --all --check
	$(CARGO) metadata --locked --manifest-path fuzz/Cargo.toml --format-version 1 >/dev/null
	$(CARGO) clippy --locked --workspace $(KERNEL) --all-targets --quiet -- -D warnings

rust-test:
	@$(if $(KERNEL),,echo 'skipped: the tests of algorithms in the kernel, which need clang, libelf and zlib')
	@if $(CARGO) nextest --version >/dev/null 2>&1; \
	then set -x; $(CARGO) nextest run --locked --workspace $(KERNEL) && $(CARGO) test --locked --workspace $(KERNEL) --doc --quiet; \
	else set -x; $(CARGO) test --locked --workspace $(KERNEL) --quiet; fi

# What docs/adding-a-protocol.md and ARCHITECTURE.md tell to write is compiled, and run: a second copy of the project.
guide-test: export PYTHONPATH := $(CHECKED)
guide-test: checked
	$(BIN)/pytest tests/guide

python-lint: $(VENV)/.packages
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --check --quiet
	$(BIN)/mypy --no-error-summary
	$(BIN)/mypy --no-error-summary --scripts-are-modules scenarios/papers/*.py

# The Python package with the extension as Rust's tests have it. Of the whole workspace, as they are: cargo compiles
# dependencies anew for another choice of crates, whose features differ. It
# lies beside the one in .venv, which stays what users get. PYTEST='-k sweep' goes to pytest. A process more than there
# are cores, for some tests wait for a peer's timers.
checked: $(VENV)/.packages
	$(CARGO) build --locked --quiet --workspace $(KERNEL) --lib --examples $(if $(KERNEL),--bin hopwright-kernel)
	@rm -rf $(CHECKED) && mkdir -p $(CHECKED)/hopwright
	@ln -s $(CURDIR)/python/hopwright/* $(CHECKED)/hopwright
	@cp --remove-destination $(CARGO_TARGET_DIR)/debug/lib_core.so $(CHECKED)/hopwright/_core.abi3.so
	@$(if $(KERNEL),cp $(CARGO_TARGET_DIR)/debug/hopwright-kernel $(CHECKED)/hopwright)

python-test: export PYTHONPATH := $(CHECKED)
python-test: checked
	$(BIN)/stubtest --concise hopwright._core
	$(BIN)/pytest --numprocesses $$((1 + $$(nproc))) --dist worksteal $(PYTEST)

bench: setup
	$(BIN)/python validation/bench.py
	$(BIN)/python validation/bench_tun.py
	$(BIN)/python validation/bench_sweep.py

# Needs a nightly compiler and cargo-fuzz; FUZZ goes to libFuzzer.
FUZZ ?= -max_total_time=20
fuzz:
	@$(CARGO) +nightly fuzz --version >/dev/null 2>&1 || \
	  { echo 'make fuzz needs a nightly compiler and cargo-fuzz: rustup toolchain install nightly; cargo install cargo-fuzz'; exit 1; }
	$(CARGO) clippy --locked --manifest-path fuzz/Cargo.toml --quiet -- -D warnings
	$(CARGO) +nightly fuzz build --sanitizer none
	@for target in $$($(CARGO) +nightly fuzz list); do \
	  seeds=; case $$target in scenario) seeds=scenarios;; movement | imports) seeds=scenarios/movements;; conversation) seeds=crates/converse/scripts;; connection_trace) seeds=crates/sedlane/tests/recorded;; esac; \
	  echo "== $$target"; mkdir -p fuzz/corpus/$$target; \
	  $(CARGO) +nightly fuzz run --sanitizer none $$target fuzz/corpus/$$target $$seeds -- \
	    -print_final_stats=1 $(FUZZ) >fuzz/$$target.log 2>&1 || { tail -40 fuzz/$$target.log; exit 1; }; \
	  grep -E 'stat::(number_of_executed_units|peak_rss_mb)' fuzz/$$target.log; \
	done

# Needs the compiler alone. Results, mutant by mutant, are in mutants/CRATE.json of the target folder.
mutants:
	@test -n "$(CRATE)" || { echo 'make mutants needs a crate: make mutants CRATE=link'; exit 2; }
	$(CARGO) run --locked --quiet --package hopwright-mutants -- $(CRATE) $(ARGS)

validate: setup
	$(BIN)/python validation/validate.py
	$(BIN)/python validation/tbf.py

# About eleven minutes of two cores.
JUDGED := $(CARGO_TARGET_DIR)/judged
judge: setup
	@mkdir -p $(JUDGED)
	$(BIN)/hopwright judge $$(cat validation/judged-scenarios.txt) --runs 20 --response spare \
	  --errors --error-probabilities 1 --out $(JUDGED)/spare --overwrite
	$(BIN)/hopwright judge $$(cat validation/judged-scenarios.txt) --runs 20 --response welcome \
	  --errors --error-probabilities 1 --out $(JUDGED)/welcome --overwrite
	$(BIN)/hopwright judge scenarios/losses/congestion.toml scenarios/losses/interference.toml \
	  scenarios/losses/link-failure.toml scenarios/losses/signal-loss.toml --set flows.transport.protocol=welcome \
	  --differentiators welcome --response welcome --runs 20 --out $(JUDGED)/ghaleb --overwrite
	$(BIN)/python validation/judging.py $(JUDGED)/spare $(JUDGED)/welcome $(JUDGED)/ghaleb
	$(BIN)/python validation/welcome_tuning.py

reference: setup
	$(BIN)/hopwright schema --markdown > docs/reference.md.new && mv docs/reference.md.new docs/reference.md
	$(BIN)/hopwright schema --python > scenario.py.new && mv scenario.py.new python/hopwright/scenario.py
	$(BIN)/hopwright reproduce --functions > papers-functions.md.new && mv papers-functions.md.new docs/papers-functions.md
	$(BIN)/hopwright schema --results --markdown > fields.md.new && mv fields.md.new docs/results-fields.md
	$(BIN)/hopwright schema --results --python > types.py.new && mv types.py.new python/hopwright/results/result_types.py

# The simulator as WebAssembly, for a page of the site. Without its tools the site is made without it.
PLAYGROUND := docs/_static/playground
WASM := $(CARGO_TARGET_DIR)/wasm32-unknown-unknown/release/hopwright_web.wasm
WASM_BINDGEN = $(shell sed -n '/^name = "wasm-bindgen"$$/{n;s/version = "\(.*\)"/\1/p}' Cargo.lock)
PLAYGROUND_NEEDS = rustup target list --installed 2>/dev/null | grep -q '^wasm32-unknown-unknown$$' \
  && test "$$(wasm-bindgen --version 2>/dev/null)" = "wasm-bindgen $(WASM_BINDGEN)" && command -v npm >/dev/null
playground:
	@$(PLAYGROUND_NEEDS) || { echo 'make playground needs npm and: rustup target add wasm32-unknown-unknown; cargo install wasm-bindgen-cli@$(WASM_BINDGEN)'; exit 1; }
	$(RELEASED) $(CARGO) build --release --locked --package hopwright-web --target wasm32-unknown-unknown
	wasm-bindgen --target web --no-typescript --out-dir $(PLAYGROUND) $(WASM)
	@test -d viewer/node_modules/uplot || npm --prefix viewer ci --silent
	cp viewer/node_modules/uplot/dist/uPlot.esm.js viewer/node_modules/uplot/dist/uPlot.min.css $(PLAYGROUND)

playground-test: setup
	@test -f $(CARGO_TARGET_DIR)/site/_static/playground/hopwright_web_bg.wasm || { echo 'make playground-test needs a site with the playground: make docs'; exit 1; }
	cd viewer && SITE=$(CARGO_TARGET_DIR)/site HOPWRIGHT=$(CURDIR)/$(BIN)/hopwright npm run playground

# A warning is an error: a link that leads nowhere, a page that no table of contents names, a notebook that fails.
docs: setup $(SITE)/.packages
	@if $(PLAYGROUND_NEEDS) && test -d viewer/node_modules/uplot; then $(MAKE) --no-print-directory playground; \
	else echo 'skipped: the playground, which needs: npm --prefix viewer ci; rustup target add wasm32-unknown-unknown; cargo install wasm-bindgen-cli@$(WASM_BINDGEN)'; fi
	PYTHONPATH=$(CURDIR)/python $(SITE)/bin/python -m sphinx --builder html --jobs auto --quiet --fail-on-warning --keep-going \
	  --doctree-dir $(CARGO_TARGET_DIR)/site-read docs $(CARGO_TARGET_DIR)/site
	@echo "the site: $(CARGO_TARGET_DIR)/site/index.html"

# What notebooks need is there as well.
$(SITE)/.packages: requirements.txt requirements-docs.txt | $(VENV)/.packages
	@test -x $(SITE)/bin/python || $(PYTHON) -m venv $(SITE)
	VIRTUAL_ENV=$(CURDIR)/$(SITE) $(BIN)/uv pip sync --quiet --require-hashes requirements.txt requirements-docs.txt
	@touch $@

# The page that `hopwright view` fills is made of viewer/, and lies in the package: who uses it needs no Node. Beside it
# the licences of the libraries that are in it.
viewer:
	@command -v npm >/dev/null || { echo 'make viewer needs Node 20 or newer, and npm; on Debian: apt-get install nodejs npm'; exit 1; }
	cd viewer && npm ci && npm run check && npm test && npm run build
	cp viewer/dist/index.html python/hopwright/view/page.html
	for name in fzstd hyparquet preact uplot; do \
	  printf '== %s\n\n' $$name; cat viewer/node_modules/$$name/LICENSE; echo; \
	done > python/hopwright/view/LICENSES.txt

viewer-test: setup
	@command -v npm >/dev/null || { echo 'skipped: the tests of the page, which need Node 20 and npm'; exit 0; }; \
	test -d viewer/node_modules || (cd viewer && npm ci); \
	$(BIN)/python viewer/tests/prepare.py $(CARGO_TARGET_DIR)/viewed $(if $(LONG),--long) && \
	cd viewer && VIEWED=$(CARGO_TARGET_DIR)/viewed npm run browser

lock: $(VENV)/.packages
	for name in requirements requirements-audit requirements-docs; do \
	  $(BIN)/uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --no-header \
	    --no-emit-index-url --no-emit-find-links --upgrade $$name.in --output-file $$name.txt || exit 1; \
	done

# The kernel's half of transports: `hopwright kernel`. Nothing else needs it.
kernel: $(VENV)/.packages
	@$(KERNEL_NEEDS) || { echo 'make kernel needs clang, libelf and zlib; on Debian: apt-get install clang libelf-dev zlib1g-dev pkg-config'; exit 1; }
	$(RELEASED) $(CARGO) build --release --locked --package hopwright-kernel --features libbpf
	install -m 755 $(CARGO_TARGET_DIR)/release/hopwright-kernel $(BIN)/hopwright-kernel

# The wheel holds the list of its crates (PEP 770), in which maturin names the folder that they lay in.
wheel: $(VENV)/.packages $(AUDIT)/.packages
	rm -rf dist/hopwright-*.whl dist/unpacked
	$(MATURIN) build --release --locked --out dist
	$(AUDIT)/bin/wheel unpack --dest dist/unpacked dist/hopwright-*.whl
	sed -i 's#file://$(CURDIR)#file:///hopwright#g' dist/unpacked/*/*.dist-info/sboms/*.json
	$(AUDIT)/bin/wheel pack --dest-dir dist dist/unpacked/*
	rm -r dist/unpacked

# The tools that look at the packages are none of them.
$(AUDIT)/.packages: requirements-audit.txt | $(VENV)/.packages
	@test -x $(AUDIT)/bin/python || $(PYTHON) -m venv $(AUDIT)
	VIRTUAL_ENV=$(CURDIR)/$(AUDIT) $(BIN)/uv pip sync --quiet --require-hashes requirements-audit.txt
	@touch $@

sbom: wheel $(AUDIT)/.packages
	@mkdir -p dist/sbom
	$(BIN)/python -m zipfile --extract dist/hopwright-*.whl dist/sbom/wheel
	mv dist/sbom/wheel/hopwright-*.dist-info/sboms/*.cyclonedx.json dist/sbom/rust.cyclonedx.json
	@rm -r dist/sbom/wheel
	$(AUDIT)/bin/cyclonedx-py environment --output-reproducible --output-file dist/sbom/python.cyclonedx.json $(BIN)/python
	sed -i 's#file://$(CURDIR)#file:///hopwright#g' dist/sbom/*.json

audit: $(AUDIT)/.packages
	@$(CARGO) deny --version >/dev/null 2>&1 || { echo 'make audit needs cargo-deny: cargo install --locked cargo-deny'; exit 1; }
	$(BIN)/python validation/audit.py $(AUDIT)/bin/pip-audit

clean:
	rm -rf $(VENV) $(AUDIT) $(SITE) dist $(CARGO_TARGET_DIR) python/hopwright/_core*.so .mypy_cache .ruff_cache .pytest_cache
