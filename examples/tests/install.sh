#!/usr/bin/env bash
# install.sh FOLDER COMMAND [ARGUMENT...]: the libraries as they are installed, and what is built on them.
#
#   prefix BUILD       installs BUILD into a stage and moves the tree to FOLDER/prefix, which names no other place
#   cmake FLAGS        builds examples/install there with find_package alone, into FOLDER/cmake
#   pkg_config FLAGS   the same with the compiler ($CXX) and pkg-config alone, into FOLDER/pkg-config
#   find_package       what find_package finds, and what it says of what is not there
#   subdirectory       TableQueue as a part of another project: libraries, and neither tests nor programs
#   run DRIVER WITH... runs both programs of a driver, as the last words of the command WITH
set -euo pipefail
folder=$1
command=$2
shift 2
source=$(cd "$(dirname "$0")/../.." && pwd)
die() { echo "install.sh: $*" >&2; exit 1; }

configure() { # SOURCE NAME OPTION...
  cmake -S "$1" -B "$folder/$2" -G "${CMAKE_GENERATOR:-Unix Makefiles}" -DCMAKE_BUILD_TYPE=None \
    -DCMAKE_CXX_COMPILER_WORKS=ON -DCMAKE_C_COMPILER_WORKS=ON "${@:3}" >"$folder/$2.log" 2>&1 ||
    { cat "$folder/$2.log"; die "$2: cmake failed"; }
}

prefix() { # BUILD
  rm -rf "$folder"
  mkdir -p "$folder"
  DESTDIR=$folder/stage cmake --install "$1" --prefix /first/place >"$folder/install.log" 2>&1 ||
    { cat "$folder/install.log"; die "cmake --install failed"; }
  mv "$folder/stage/first/place" "$folder/prefix"
  [ -z "$(find "$folder/stage" -type f)" ] || die "installed outside of the prefix: $(find "$folder/stage" -type f)"
  ! grep -rIl -e "$(realpath "$1")" -e "$source" -e /first/place -e /usr/ "$folder/prefix"/{include,lib*} ||
    die "these files name a place that users do not have"
}

built_with_cmake() { # FLAGS
  configure "$source/examples/install" cmake -DCMAKE_PREFIX_PATH="$folder/prefix" -DCMAKE_CXX_FLAGS="$1" \
    -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
  cmake --build "$folder/cmake" --parallel 2
}

built_with_pkg_config() { # FLAGS
  local own client driver object flags
  export PKG_CONFIG_PATH
  PKG_CONFIG_PATH=$(dirname "$(find "$folder/prefix" -name tablequeue-core.pc)")
  mkdir -p "$folder/pkg-config"
  for file in "$source"/examples/install/*.cpp; do
    driver=$(basename "$file" .cpp)
    pkg-config --exists "tablequeue-$driver" || continue
    # What the application takes of the client library itself.
    client=
    case $driver in
    libpq | odbc | sqlite3) own=$(pkg-config --cflags "$driver") client=$(pkg-config --libs "$driver") ;;
    mysql) own='' client=-lmysqlcppconn ;;
    soci) own='' client=-lsoci_core ;;
    esac
    object=$folder/pkg-config/$driver.o
    read -ra flags <<<"$1 $own $(pkg-config --cflags tablequeue-dialects "tablequeue-$driver")"
    echo "$driver: pkg-config --libs: $(pkg-config --libs tablequeue-dialects "tablequeue-$driver")"
    "${CXX:-c++}" -std=c++20 "${flags[@]}" -c "$file" -o "$object"
    for static in '' --static; do
      # shellcheck disable=SC2086 # no option, or one
      read -ra flags <<<"$1 $(pkg-config $static --libs tablequeue-dialects "tablequeue-$driver") $client"
      "${CXX:-c++}" "$object" "${flags[@]}" -Wl,-rpath,"$(dirname "$PKG_CONFIG_PATH")" \
        -o "$folder/pkg-config/with_$driver"
    done
  done
}

found() {
  configure "$source/examples/tests/find_package" find_package -DCMAKE_PREFIX_PATH="$folder/prefix"
  grep -- '-- as promised:' "$folder/find_package.log"
}

subdirectory() {
  configure "$source/examples/tests/subdirectory" subdirectory -DTQ_SOURCE="$source"
  cmake --install "$folder/subdirectory" --prefix "$folder/nothing"
  [ ! -e "$folder/nothing" ] || die "a part of another project installs files of its own"
  if ctest --test-dir "$folder/subdirectory" -N | grep -E 'Test +#'; then
    die "a part of another project has tests"
  fi
}

run() { # DRIVER WITH...
  local driver=$1 tool program
  shift
  for tool in cmake pkg-config; do
    program=$folder/$tool/with_$driver
    [ -x "$program" ] || die "$program was not built"
    case $driver in
    odbc | soci | sqlite3)
      rm -f "$program.db"*
      "$program" "$program.db"
      ;;
    *) "$@" "$program" ;;
    esac
  done
}

case $command in
prefix) prefix "$@" ;;
cmake) built_with_cmake "$@" ;;
pkg_config) built_with_pkg_config "$@" ;;
find_package) found ;;
subdirectory) subdirectory ;;
run) run "$@" ;;
*) die "unknown command: $command" ;;
esac
