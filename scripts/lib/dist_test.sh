# Tries what scripts/dist built, as a new user would: each thing in a fresh Debian root, which has nothing but what its installation brings,
# and a server program. The commands are those of docs/tutorial.md: load, kill, resume, verify, export; then a quick bench.
# shellcheck shell=bash disable=SC2016

# The oldest Debian that is promised.
DEBIAN=bookworm
ROOT_NAMES=(deb tarball static static-aarch64 wheel)

test_dist() { # names..
  local name
  for name in "$@"; do
    [[ " ${ROOT_NAMES[*]} " == *" $name "* ]] || fail "nothing is called \`$name\`: one of ${ROOT_NAMES[*]}"
  done
  if (($# == 0)); then
    set -- deb tarball static wheel
    if [[ $MACHINE == x86_64 && -e $DIST/inrush-$VERSION-aarch64-linux-musl.tar.gz ]]; then
      set -- "$@" static-aarch64
    else
      echo "dist: NOT TRIED: the static tarball for aarch64: it is not built, or \`static\` tries it" >&2
    fi
  fi
  [[ -f $DIST/SHA256SUMS ]] || fail "nothing is built: run \`make dist\` first"
  scripts/setup dist
  ((EUID == 0)) || fail "a fresh root needs the rights of root: run it as root"
  (cd "$DIST" && sha256sum --quiet --check SHA256SUMS)
  ROOTS=$(mktemp -d)
  trap leave_roots EXIT
  make_root
  for name in "$@"; do
    try "$name"
  done
  echo "dist: $* were installed in fresh roots and did their work, $SECONDS s"
}

try() { # name
  local -a check=('cd /dist' "$(commands_of Checksums)")
  case $1 in
    deb) in_root deb "${check[@]}" "$(commands_of 'Debian package')" \
      'test -s /usr/share/man/man1/inrush.1.gz && test -s /usr/share/man/man1/inrush-load.1.gz && test -s /usr/share/bash-completion/completions/inrush' use_command ;;
    tarball) in_root tarball "${check[@]}" "$(commands_of Tarball)" use_command ;;
    static) in_root static "${check[@]}" "$(commands_of 'Static tarball')" 'ldd /usr/local/bin/inrush | grep -q "statically linked"' use_command ;;
    static-aarch64)
      # An emulator runs it.
      in_root static-aarch64 'apt-get install -qqy --no-install-recommends qemu-user-static' \
        "${check[@]}" "$(commands_of 'Static tarball' | sed 's/"$(uname -m)"/aarch64/')" 'mv /usr/local/bin/inrush /opt/inrush' \
        'printf "#!/bin/sh\nexec qemu-aarch64-static /opt/inrush \"\$@\"\n" >/usr/local/bin/inrush && chmod +x /usr/local/bin/inrush' use_command ;;
    wheel) in_root wheel 'apt-get install -qqy --no-install-recommends python3-venv' "${check[@]}" "$(commands_of Wheel)" use_command use_python ;;
  esac
}

# The commands of a section of docs/install.md.
commands_of() { # heading
  awk -v heading="## $1" '/^## / { is_here = $0 == heading } /^```sh$/ { is_code = is_here; next } /^```$/ { is_code = 0 } is_code' docs/install.md |
    grep . || fail "docs/install.md has no commands under \`$1\`"
}

make_root() {
  local mirror
  # The one of this machine.
  mirror=$({ cat /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null || true; } |
    sed -n -e 's/^URIs: *//p' -e 's/^deb \(\[[^]]*\] \)\?\([^ ]*\) .*/\2/p' | sed -n 1p)
  debootstrap --variant=minbase --include=ca-certificates "$DEBIAN" "$ROOTS/base" "$mirror" >"$ROOTS/debootstrap.log" 2>&1 ||
    fail "no fresh root can be made: $(tail -3 "$ROOTS/debootstrap.log")"
  cp /etc/resolv.conf "$ROOTS/base/etc/resolv.conf"
  [[ ! -d /etc/apt/apt.conf.d ]] || cp -n /etc/apt/apt.conf.d/* "$ROOTS/base/etc/apt/apt.conf.d/"
  run_in base 'apt-get update -qq && apt-get install -qqy --no-install-recommends mariadb-server-core mariadb-client-core procps' ||
    fail "no server can be installed in a fresh root: $(tail -3 "$ROOTS/base.log")"
}

# Runs steps in a copy of the root, each a line of shell or the name of a function that prints one.
in_root() { # name, steps..
  local name=$1 step script=
  shift
  cp -a "$ROOTS/base" "$ROOTS/$name"
  mkdir "$ROOTS/$name/dist"
  cp "$DIST"/* "$ROOTS/$name/dist/"
  for step in "$@"; do
    if declare -F "$step" >/dev/null; then step=$("$step"); fi
    script+=$step$'\n'
  done
  run_in "$name" "$script" || fail "in a fresh root, with the $name: $(tail -20 "$ROOTS/$name.log")"
  echo "dist: $name: $(grep -m 1 '^inrush ' "$ROOTS/$name.log")"
}

run_in() { # name, script
  local name=$1
  mount --bind /proc "$ROOTS/$name/proc"
  mount --bind /dev "$ROOTS/$name/dev"
  local status=0
  env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LANG=C.UTF-8 \
    chroot "$ROOTS/$name" /bin/bash -euo pipefail -c "$2" >"$ROOTS/$name.log" 2>&1 </dev/null || status=$?
  # Lazily: a server that was started there is still at work.
  umount --lazy "$ROOTS/$name/dev" "$ROOTS/$name/proc"
  return $status
}

# The commands of the tutorial but for the last ones, which stop the server and remove the folder; then what it leaves out.
use_command() {
  echo 'cd; inrush --version'
  awk '/^## 8/ { exit } /^```sh$/ { is_code = 1; next } /^```$/ { is_code = 0 } is_code' docs/tutorial.md |
    # An exit code that the tutorial shows is no failure.
    sed 's/^\(inrush load more\.csv .*\)$/\1 || test $? = 2 -o $? = 4/'
  cat <<'END'
inrush export readings --to backup --format parquet
inrush verify backup
inrush bench insert --once
test "$(inrush server shell -- test -N -e 'SELECT COUNT(*), SUM(sensor) FROM readings')" = "$(seq 500000 | awk '{ s += $1 % 97 } END { print NR "\t" s }')"
END
}

use_python() {
  cat <<'END'
cat >~/rows.py <<'PY'
import os, inrush
url = os.environ["INRUSH_URL"]
report = inrush.load([{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}], "of_python", url, create=True, key="id")
assert report.stored == 2, report
PY
python3 ~/rows.py
inrush server stop
END
}

# Stops what runs in the roots, and removes them.
leave_roots() {
  local name root
  for root in "$ROOTS"/*/; do
    name=$(basename "$root")
    [[ ! -x $root/usr/local/bin/inrush && ! -x $root/usr/bin/inrush && ! -x $root/dist/environment/bin/inrush ]] ||
      run_in "$name" 'export PATH=/dist/environment/bin:$PATH; inrush server stop' || true
  done
  rm -rf --one-file-system "$ROOTS"
}
