# Tries what scripts/dist built, as a new user would: each thing in a fresh Debian root, which has nothing but what its installation brings,
# and a server program. The commands are those of docs/tutorial.md: load, kill, resume, verify, export; then a quick bench.
# shellcheck shell=bash disable=SC2016

# The oldest Debian that is promised.
DEBIAN=bookworm

test_dist() {
  [[ -f $DIST/SHA256SUMS ]] || fail "nothing is built: run \`make dist\` first"
  scripts/setup dist
  ((EUID == 0)) || fail "a fresh root needs the rights of root: run it as root"
  (cd "$DIST" && sha256sum --quiet --check SHA256SUMS)
  ROOTS=$(mktemp -d)
  trap leave_roots EXIT
  make_root
  in_root deb 'apt-get install -qqy --no-install-recommends /dist/*.deb' \
    'test -s /usr/share/man/man1/inrush.1.gz && test -s /usr/share/bash-completion/completions/inrush' use_command
  in_root tarball 'tar -xzf /dist/inrush-*-linux-gnu.tar.gz -C /opt && ln -s /opt/inrush-*/inrush /usr/local/bin/inrush' use_command
  in_root wheel 'apt-get install -qqy --no-install-recommends python3-venv' \
    'python3 -m venv /venv && /venv/bin/pip install --quiet --no-index /dist/*-abi3-*.whl && export PATH=/venv/bin:$PATH' use_command use_python
  echo "dist: the Debian package, the tarball and the wheel were installed in fresh roots and did their work, $SECONDS s"
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
    [[ ! -x $root/usr/local/bin/inrush && ! -x $root/usr/bin/inrush && ! -x $root/venv/bin/inrush ]] ||
      run_in "$name" 'export PATH=/venv/bin:$PATH; inrush server stop' || true
  done
  rm -rf --one-file-system "$ROOTS"
}
