# shellcheck shell=bash
# MariaDB Galera: three servers that certify each other's transactions, all of which take writes.

FAMILY=galera-10.11

provide() { # name
  # The program that copies data between nodes, looked for under its own name among the processes.
  # shellcheck disable=SC2154 # of scripts/engines
  "$here/setup" galera
  provide_server "$FAMILY"
}

start() { # name
  local number ports group new root
  root=$(family_root "$FAMILY")
  # Of each node: clients, group, state by increments, state as a whole.
  mapfile -t ports < <(free_ports 12)
  group=127.0.0.1:${ports[1]},127.0.0.1:${ports[5]},127.0.0.1:${ports[9]}
  for number in 1 2 3; do
    set -- "$1" "${ports[@]:number * 4 - 4:4}"
    mkdir -p "$HOME_OF_ENGINE/$number"
    echo "$2" >"$HOME_OF_ENGINE/$number/port"
    new=()
    ((number > 1)) || new=(--wsrep-new-cluster)
    start_server "$number" "$FAMILY" "${new[@]}" <<CONF
binlog-format = ROW
innodb-autoinc-lock-mode = 2
wsrep-on = ON
wsrep-provider = $(find "$root/root/usr/lib" -name libgalera_smm.so | head -n 1)
wsrep-cluster-name = inrush
wsrep-cluster-address = gcomm://$group
wsrep-node-name = node$number
wsrep-node-address = 127.0.0.1:$3
wsrep-node-incoming-address = 127.0.0.1:$2
wsrep-provider-options = "gmcast.listen_addr=tcp://127.0.0.1:$3;ist.recv_addr=127.0.0.1:$4;gcache.size=64M"
wsrep-sst-method = rsync
wsrep-sst-receive-address = 127.0.0.1:$5
CONF
    await "$number" "synced node" is_synced "$number"
    ((number > 1)) || make_user 1 "$FAMILY"
  done
  describe "$1" mariadb "$(ask 1 "$FAMILY" "SELECT VERSION()")" "$root/bin/mysql" 1 2 3
}

is_synced() { # number
  [[ $(ask "$1" "$FAMILY" "SHOW STATUS LIKE 'wsrep_local_state_comment'") == *Synced ]]
}
