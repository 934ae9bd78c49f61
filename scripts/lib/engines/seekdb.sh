# shellcheck shell=bash
# OceanBase's SQL engine as one node: the server program that the Python package `pylibseekdb` carries.

SEEKDB=1.4.0.post1
# What its port is in its own network.
INNER_PORT=2881
# Clients of tests.
FAMILY=mariadb-10.11

provide() { # name
  local work
  can_confine
  provide_family "$FAMILY"
  [[ ! -e $(seekdb)/complete ]] || return 0
  say "seekdb: downloading $SEEKDB"
  rm -rf "$(seekdb)"
  work=$(mktemp -d "$CACHE/engines/seekdb.XXXXXX")
  "$PYTHON" -m pip --quiet --disable-pip-version-check download --no-deps --only-binary :all: --python-version 3.11 \
    --implementation cp --abi cp311 --platform manylinux_2_28_x86_64 --dest "$work" "pylibseekdb==$SEEKDB" ||
    fail "seekdb cannot be had: is the package index reached?"
  "$PYTHON" -m zipfile -e "$work"/*.whl "$(seekdb)"
  rm -rf "$work"
  chmod -R a+rX "$(seekdb)"
  chmod 755 "$(seekdb)/pylibseekdb/seekdb"
  touch "$(seekdb)/complete"
}

seekdb() { echo "$CACHE/unpacked/seekdb-$SEEKDB"; }

start() { # name
  local home=$HOME_OF_ENGINE/node
  mkdir -p "$home/base"
  launch_confined node "$INNER_PORT" env "LD_LIBRARY_PATH=$(seekdb)/pylibseekdb:$(seekdb)/pylibseekdb.libs" \
    "$(seekdb)/pylibseekdb/seekdb" --nodaemon --port "$INNER_PORT" --base-dir "$home/base" \
    --parameter memory_limit=2G --parameter datafile_size=1G --parameter datafile_maxsize=4G --parameter log_disk_size=2G
  await node "server that answers" ask_by_tcp "SELECT 1"
  ask_by_tcp "CREATE USER inrush@'%' IDENTIFIED BY '$PASSWORD'; GRANT ALL PRIVILEGES ON *.* TO inrush@'%' WITH GRANT OPTION;
    SET GLOBAL local_infile = 1"
  describe "$1" mysql "$(ask_by_tcp "SELECT VERSION()")" "$(family_root "$FAMILY")/bin/mysql" node
}
