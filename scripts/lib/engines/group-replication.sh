# shellcheck shell=bash
# MySQL Group Replication: three servers that certify each other's transactions. `-many`: all of them take writes.

FAMILY=mysql-9.7

provide() { # name
  provide_server "$FAMILY"
}

start() { # name
  local number seeds single=ON ports
  [[ $1 != *-many ]] || single=OFF
  mapfile -t ports < <(free_ports 6)
  seeds=127.0.0.1:${ports[3]},127.0.0.1:${ports[4]},127.0.0.1:${ports[5]}
  for number in 1 2 3; do
    mkdir -p "$HOME_OF_ENGINE/$number"
    echo "${ports[number - 1]}" >"$HOME_OF_ENGINE/$number/port"
    start_server "$number" "$FAMILY" <<CONF
server-id = $number
gtid-mode = ON
enforce-gtid-consistency = ON
report-host = 127.0.0.1
report-port = ${ports[number - 1]}
plugin-load-add = group_replication.so
loose-group-replication-group-name = 6d1b4c6e-5f0e-4c0b-9f0a-0f3c5a7d1e21
loose-group-replication-start-on-boot = OFF
loose-group-replication-local-address = 127.0.0.1:${ports[number + 2]}
loose-group-replication-group-seeds = $seeds
loose-group-replication-ip-allowlist = 127.0.0.1
loose-group-replication-single-primary-mode = $single
loose-group-replication-enforce-update-everywhere-checks = $([[ $single == ON ]] && echo OFF || echo ON)
CONF
    join "$number"
  done
  describe "$1" mysql "$(ask 1 "$FAMILY" "SELECT VERSION()")" "$(family_root "$FAMILY")/bin/mysql" 1 2 3
}

# The first one makes the group.
join() { # number
  local first=OFF
  (($1 > 1)) || first=ON
  make_user "$1" "$FAMILY"
  ask "$1" "$FAMILY" "SET sql_log_bin = 0; RESET BINARY LOGS AND GTIDS;
    CHANGE REPLICATION SOURCE TO SOURCE_USER = 'inrush', SOURCE_PASSWORD = '$PASSWORD'
      FOR CHANNEL 'group_replication_recovery';
    SET GLOBAL group_replication_recovery_get_public_key = ON;
    SET GLOBAL group_replication_bootstrap_group = $first;
    START GROUP_REPLICATION;
    SET GLOBAL group_replication_bootstrap_group = OFF"
  await "$1" "member of the group that is online" is_online "$1"
}

is_online() { # number
  [[ $(ask "$1" "$FAMILY" "SELECT MEMBER_STATE FROM performance_schema.replication_group_members WHERE MEMBER_ID = @@server_uuid") == ONLINE ]]
}
