# shellcheck shell=bash
# debian.sh: programs from Debian's archive in a private folder, run through that folder's own
# dynamic loader, so that neither the system's packages nor its libraries are touched.

# debian_apt WORK ARGUMENT...: apt-get with a state of its own in WORK, in which no package is
# installed, so that it finds every library that a package needs.
debian_apt() {
  local work=$1
  shift
  apt-get -q -y -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null \
    -o "Dir::State=$work/state" -o "Dir::State::status=$work/status" -o "Dir::Cache=$work/cache" \
    -o APT::Sandbox::User="$(id -un)" -o APT::Install-Recommends=false \
    -o Acquire::Languages=none -o Acquire::Retries=3 "$@"
}

# debian_unpack SUITE TREE PACKAGE...: puts the packages and the libraries that they need into TREE.
debian_unpack() {
  local suite=$1 tree=$2 work=$2.work keys=/usr/share/keyrings/debian-archive-keyring.gpg
  local packages=("${@:3}") mirror names file
  if ! command -v apt-get >/dev/null || [ ! -f "$keys" ]; then
    die "${packages[*]}: not Debian, so it cannot be fetched; give a server of yours as TQ_TEST_..._URL"
  fi
  # shellcheck disable=SC2016  # apt's own placeholder
  mirror=${TQ_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Label: Debian' \
    2>/dev/null | head -n 1)}
  rm -rf "$work" "$tree"
  mkdir -p "$work"/{state/lists/partial,cache/archives/partial,packages} "$tree"
  : >"$work/status"
  # A mirror's index may be older than the week that it declares itself valid for: its signature is
  # checked as ever, only the age limit is widened.
  echo "deb [signed-by=$keys valid-until-min=31536000] ${mirror:-http://deb.debian.org/debian} $suite main" \
    >"$work/sources.list"
  log "fetching ${packages[*]} from Debian $suite"
  debian_apt "$work" update >"$work/log" 2>&1 || { tail -n 5 "$work/log" >&2; die "no package list"; }
  # A line is: 'ADDRESS' NAME_VERSION_ARCHITECTURE.deb SIZE HASH. Of what the packages depend on,
  # only libraries are needed; compiled queries (LLVM, 120 MB) are left out.
  names=$(debian_apt "$work" --print-uris install "${packages[@]}" 2>"$work/log" |
    sed -n "s/^'[^']*' \([^_]*\)_.*/\1/p" | grep -E "^(lib|zlib$(printf '|%s$' "${packages[@]}"))" |
    grep -Ev 'perl|llvm|libz3|systemd-shared|pam-modules|debconf') ||
    { tail -n 5 "$work/log" >&2; die "${packages[*]}: cannot be had from $suite"; }
  # shellcheck disable=SC2086  # a list of names
  (cd "$work/packages" && debian_apt "$work" download $names) >"$work/log" 2>&1 ||
    { tail -n 5 "$work/log" >&2; die "${packages[*]}: download failed"; }
  for file in "$work"/packages/*.deb; do
    dpkg-deb --fsys-tarfile "$file" | tar -x -C "$tree" --no-same-owner --exclude='./etc' \
      --exclude='./var' --exclude='./usr/share/doc' --exclude='./usr/share/man' \
      --exclude='./usr/share/locale' --exclude=bitcode --exclude='llvmjit*'
  done
  rm -rf "$work"
}

# debian_wrap TREE PROGRAM: makes PROGRAM of TREE callable by its path, with TREE's loader and
# libraries. The original moves to the folder .real beside it.
debian_wrap() {
  local tree=$1 program=$2 real loader libraries missing
  real=$(dirname "$program")/.real/$(basename "$program")
  loader=$(find "$tree" -name 'ld-linux*.so.*' -print -quit)
  libraries=$(find "$tree" -maxdepth 3 -type d -path '*/lib/*-linux-gnu' | paste -sd :)
  mkdir -p "$(dirname "$real")"
  mv "$program" "$real"
  missing=$("$loader" --library-path "$libraries" --list "$real" | grep -Ev "vdso|=> $tree/|^[[:space:]]*$tree/" || true)
  [ -z "$missing" ] || die "$program: libraries outside of $tree: $missing"
  # --argv0: PostgreSQL finds its other files from the path that it was called by.
  printf '#!/bin/sh\nexec '\''%s'\'' --library-path '\''%s'\'' --argv0 '\''%s'\'' '\''%s'\'' "$@"\n' \
    "$loader" "$libraries" "$program" "$real" >"$program"
  chmod 755 "$program"
}
