"""Run the fast tests on every Python at hand, and with the lowest and highest dependencies.

Each gets an environment of its own below ``.venv-versions``. What cannot be had is named, not
passed over: the exit code is 1 only where something ran and failed.

    make test-versions                       # all of them
    make test-versions WHICH="3.13 lowest"   # these
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / ".venv-versions"
UV = ROOT / ".venv/bin/uv"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
RESOLUTIONS = {"lowest": "lowest-direct", "highest": "highest"}


def call(*argv: object, quiet: bool = False) -> str | None:
    """What a command prints; None where it fails."""
    words = [str(word) for word in argv]
    errors = subprocess.DEVNULL if quiet else None
    done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, check=False)
    return done.stdout.decode().strip() if done.returncode == 0 else None


def python(version: str) -> str | None:
    """The interpreter of that version on this machine: on the path, or pyenv's; None: none."""
    on_path = shutil.which(f"python{version}")
    pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}"))
    for found in (*([on_path] if on_path else []), *pyenv):
        # a shim of pyenv stands on the path for versions that are not switched on
        if call(found, "-c", "import ssl, sqlite3, lzma", quiet=True) is not None:
            return str(found)
    return None


def requirements(name: str, version: str) -> Path | None:
    """The packages of a case: the lock, or the project's own at their bounds and newest tools."""
    if name not in RESOLUTIONS:
        return ROOT / "requirements.lock"
    own, whole = PLACE / f"{name}-own.txt", PLACE / f"{name}.txt"
    solve = [UV, "pip", "compile", "-q", "pyproject.toml", "--python-version", version]
    bounds = call(*solve, "--resolution", RESOLUTIONS[name], "-o", own)
    made = None if bounds is None else call(*solve, "--extra", "dev", "-c", own, "-o", whole)
    return None if made is None else whole


def tried(name: str, version: str) -> str:
    """What became of a case: passed, failed, or why it could not be tried."""
    interpreter = python(version)
    if interpreter is None:
        return f"not run: no Python {version} on this machine"
    packages = requirements(name, version)
    if packages is None:
        return "failed: the dependencies cannot be resolved"
    place = PLACE / name
    install = (UV, "pip", "install", "-q", "--python", place)
    steps = (
        (UV, "venv", "-q", "--clear", "--python", interpreter, place),
        (*install, "-r", packages),
        (*install, "--no-deps", "--no-build-isolation", "-e", "."),
    )
    if any(call(*step) is None for step in steps):
        return "failed: the packages cannot be installed"
    print(f"--- {name} (Python {version})", flush=True)
    tests = [
        place / "bin/python",
        "-m",
        "pytest",
        "-q",
        "-n",
        "2",
        "--dist",
        "loadfile",
        "-m",
        "not slow",
    ]
    done = subprocess.run([str(word) for word in tests], cwd=ROOT, check=False)
    return "passed" if done.returncode == 0 else f"failed: pytest exits with {done.returncode}"


def main(wanted: list[str]) -> int:
    """Try the cases that are named, or all; 1 where one failed."""
    there = [version for version in PYTHONS if python(version)]
    cases = {version: version for version in PYTHONS}
    cases |= {"lowest": there[0], "highest": there[-1]}
    unknown = set(wanted) - set(cases)
    if unknown:
        print(f"no case {min(unknown)!r}; known: {', '.join(cases)}")
        return 2
    PLACE.mkdir(exist_ok=True)
    told = {name: tried(name, cases[name]) for name in wanted or cases}
    for name, outcome in told.items():
        print(f"{name:8} Python {cases[name]}: {outcome}")
    return int(any(outcome.startswith("failed") for outcome in told.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
