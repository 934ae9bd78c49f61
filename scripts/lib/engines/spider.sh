# shellcheck shell=bash
# The storage engine Spider: a MariaDB server, the head, whose tables lie on two others. It is told of them as the servers `one` and `two`.

FAMILY=spider-10.11

provide() { # name
  provide_server "$FAMILY"
}

start() { # name
  local node
  for node in two one head; do
    start_server "$node" "$FAMILY" < <([[ $node != head ]] || echo "plugin-load-add = ha_spider")
    make_user "$node" "$FAMILY"
  done
  for node in one two; do
    ask head "$FAMILY" "CREATE SERVER $node FOREIGN DATA WRAPPER mysql OPTIONS
      (HOST '127.0.0.1', PORT $(cat "$HOME_OF_ENGINE/$node/port"), USER 'inrush', PASSWORD '$PASSWORD')"
  done
  describe "$1" mariadb "$(ask head "$FAMILY" "SELECT VERSION()")" "$(family_root "$FAMILY")/bin/mysql" head one two
}
