#!/bin/sh
# What perfkit needs on this machine.
#   sh tools/setup.sh          a virtual environment from the lock: reading, analysing, the notebooks
#   sh tools/setup.sh parts    fio, which measures, and a headless Chromium, which draws reports' charts
# Called by `make setup`, and by the targets that need the parts; the Makefile decides when.
set -eu

venv=.venv
python=${PYTHON:-python3}

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then sudo "$@"
    else return 1; fi
}

updated=no
apt_install() { # the packages by name; fails without apt or without rights
    command -v apt-get >/dev/null || return 1
    if [ $updated = no ]; then as_root apt-get -o DPkg::Lock::Timeout=300 update -qq >&2 || return 1; updated=yes; fi
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "$@" >&2
}

has_chrome() {
    [ -n "${BROWSER_PATH:-}" ] && return 0
    for name in chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable chrome; do
        command -v $name >/dev/null && return 0
    done
    [ -x "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" ]
}

if [ "${1:-}" = parts ]; then
    command -v fio >/dev/null || { say "installing fio"; apt_install fio || true; }
    has_chrome || {
        say "installing a headless Chromium"
        apt_install chromium-headless-shell || apt_install chromium || true
    }
    missing=
    command -v fio >/dev/null || missing=fio
    has_chrome || missing="${missing:+$missing and }Chromium"
    [ -z "$missing" ] || fail "$missing missing. Debian: apt-get install fio chromium-headless-shell; \
Fedora: dnf install fio chromium-headless; macOS: brew install fio && brew install --cask google-chrome"
    exit 0
fi

# 1. Python 3.11 or newer
command -v "$python" >/dev/null || apt_install python3 || fail "Python 3.11 or newer is needed"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "Python 3.11 or newer is needed; $("$python" --version) found (name another: make PYTHON=python3.12)"

# 2. the virtual environment (Debian's Python may come without venv)
if [ ! -x $venv/bin/python ] || ! $venv/bin/python -c 'import pip' 2>/dev/null; then
    rm -rf $venv
    "$python" -m venv $venv >/dev/null 2>&1 || {
        rm -rf $venv
        apt_install python3-venv || fail "python3-venv is missing: apt-get install python3-venv"
        "$python" -m venv $venv
    }
fi

# 3. uv, at the version and with the hashes of the lock, then all the rest through it
bootstrap=$(mktemp)
trap 'rm -f "$bootstrap"' EXIT
sed -n '/^uv==/,/[^\\]$/p' requirements.lock >"$bootstrap"
[ -x $venv/bin/uv ] || $venv/bin/python -m pip install -q --disable-pip-version-check --require-hashes -r "$bootstrap"
say "installing the packages of requirements.lock"
VIRTUAL_ENV=$PWD/$venv $venv/bin/uv pip sync -q --require-hashes --compile-bytecode requirements.lock
VIRTUAL_ENV=$PWD/$venv $venv/bin/uv pip install -q --no-deps --no-build-isolation -e .
# perfkit's own bytecode: where Python is told to write none, every process would compile it anew
$venv/bin/python -m compileall -q perfkit

say "done. Call it $venv/bin/perfkit, or perfkit after: . $venv/bin/activate"
say "for every folder: uv tool install $PWD, or pip install $PWD; perfkit doctor tells what is there"
