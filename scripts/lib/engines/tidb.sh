# shellcheck shell=bash
# TiDB with the store that is built into it (unistore), one server.

# Clients of tests.
FAMILY=mariadb-10.11

provide() { # name
  provide_family "$FAMILY"
  build_with_go tidb github.com/pingcap/tidb/cmd/tidb-server
}

start() { # name
  local home=$HOME_OF_ENGINE/node ports
  mapfile -t ports < <(free_ports 2)
  mkdir -p "$home"/{store,tmp}
  echo "${ports[0]}" >"$home/port"
  cat >"$home/config.toml" <<CONF
host = "127.0.0.1"
port = ${ports[0]}
store = "unistore"
path = "$home/store"
socket = ""
temp-dir = "$home/tmp"
new_collations_enabled_on_first_bootstrap = true
[log]
level = "warn"
[status]
status-host = "127.0.0.1"
status-port = ${ports[1]}
CONF
  launch node "$(built_with_go tidb)/tidb-server" -config "$home/config.toml"
  await node "server that answers" ask_by_tcp "SELECT 1"
  ask_by_tcp "CREATE USER inrush@'%' IDENTIFIED BY '$PASSWORD'; GRANT ALL PRIVILEGES ON *.* TO inrush@'%' WITH GRANT OPTION;
    SET GLOBAL tidb_enable_check_constraint = 1"
  describe "$1" mysql "$(ask_by_tcp "SELECT VERSION()")" "$(family_root "$FAMILY")/bin/mysql" node
}
