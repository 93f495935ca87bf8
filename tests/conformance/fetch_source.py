#!/usr/bin/python3
"""Downloads the source package of a Debian package into a cache folder.

Most machines have no deb-src entries. The script therefore copies those of the machine's own deb
entries that offer the package, turns them into deb-src entries in a private folder, and lets
apt-get use that folder alone. apt-get checks signatures and hashes as always. Root is not needed.

    fetch_source.py --cache DIR --package mpich      prints the path of the .orig tar archive
"""

import argparse
import fcntl
import glob
import os
import re
import subprocess
import sys


def offered_by(package):
    """Returns the set of (URI, suite) pairs of the machine's archives that hold `package`."""
    policy = subprocess.run(["apt-cache", "policy", package], capture_output=True, text=True,
                            check=True).stdout
    return set(re.findall(r"^\s+\d+ (\S+) (\S+)/\S+ \S+ Packages$", policy, re.MULTILINE))


def one_line_entries(text):
    """Yields (options, uri, suite, components) of each deb line of a sources.list file."""
    for line in text.splitlines():
        match = re.match(r"deb\s+(\[[^\]]*\]\s+)?(\S+)\s+(\S+)\s+(.+)", line.split("#")[0].strip())
        if match:
            yield (match[1] or "").strip(), match[2], match[3], match[4]


def deb822_entries(text):
    """Yields (options, uri, suite, components) for each URI and suite of a .sources file."""
    for stanza in re.split(r"\n\s*\n", re.sub(r"(?m)^#.*\n?", "", text)):
        fields = {name.lower(): " ".join(value.split()) for name, value in
                  re.findall(r"(?m)^([\w-]+):((?:.|\n(?=\s))*)", stanza)}
        if "deb" not in fields.get("types", "").split() or fields.get("enabled") == "no":
            continue
        keyring = fields.get("signed-by", "")
        options = f"[signed-by={keyring}]" if keyring.startswith("/") else ""
        for uri in fields["uris"].split():
            for suite in fields["suites"].split():
                yield options, uri, suite, fields.get("components", "")


def machine_entries():
    """Returns all deb entries of the machine, in the form of deb822_entries."""
    entries = []
    for path in ["/etc/apt/sources.list", *sorted(glob.glob("/etc/apt/sources.list.d/*"))]:
        if not os.path.isfile(path):
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        entries += deb822_entries(text) if path.endswith(".sources") else one_line_entries(text)
    return entries


def write_sources_list(path, package):
    """Writes deb-src lines for the archives that offer `package`. Exits if there is none."""
    offers = {(uri.rstrip("/"), suite) for uri, suite in offered_by(package)}
    lines = [f"deb-src {options} {uri} {suite} {components}\n"
             for options, uri, suite, components in machine_entries()
             if (uri.rstrip("/"), suite) in offers]
    if not lines:
        sys.exit(f"no archive of this machine offers {package}; run apt-get update?")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(lines)


def apt_get(state, *words):
    """Runs apt-get on the private lists under `state`, in `state`'s parent. Exits on failure."""
    options = {"Dir::Etc::sourcelist": f"{state}/sources.list", "Dir::Etc::sourceparts": "/dev/null",
               "Dir::State::lists": f"{state}/lists", "Dir::Cache": f"{state}/cache",
               "APT::Sandbox::User": "", "Acquire::Retries": "3"}
    command = ["apt-get", "-q"]
    for name, value in options.items():
        command += ["-o", f"{name}={value}"]
    done = subprocess.run(command + list(words), cwd=os.path.dirname(state), text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"apt-get {' '.join(words)} failed:\n{done.stdout}")


def cached_archive(cache, source):
    """Returns the newest .orig archive of `source` in `cache`, or None."""
    found = sorted(glob.glob(f"{cache}/{source}_*.orig.tar.*"))
    found = [path for path in found if not path.endswith((".asc", ".partial"))]
    return found[-1] if found else None


def fetch(cache, source, binary=None):
    """Returns the path of the .orig archive of source package `source`, downloading it if needed.

    `binary` names a binary package made from it, where that has another name: it tells which of
    the machine's archives to ask. Runs of several processes on one cache wait for each other.
    """
    cache = os.path.abspath(cache)
    os.makedirs(cache, exist_ok=True)
    with open(f"{cache}/.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if cached_archive(cache, source) is None:
            state = f"{cache}/apt"
            for folder in ("lists/partial", "cache/archives/partial"):
                os.makedirs(f"{state}/{folder}", exist_ok=True)
            write_sources_list(f"{state}/sources.list", binary or source)
            apt_get(state, "update")
            apt_get(state, "source", "--download-only", "--only-source", source)
    return cached_archive(cache, source)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", required=True, help="folder that keeps the archives")
    parser.add_argument("--package", required=True, help="name of the source package")
    parser.add_argument("--binary", help="a binary package of it, if the names differ")
    options = parser.parse_args()
    print(fetch(options.cache, options.package, options.binary))


if __name__ == "__main__":
    main()
