# shellcheck shell=bash
# Apache ShardingSphere-Proxy over two MariaDB servers. Its database `shop` has the tables `people` and `t`, whose rows go by `id`; what
# another statement makes is a table of one of the servers.

FAMILY=mariadb-10.11
INNER_PORT=3307

provide() { # name
  can_confine
  command -v java mvn >/dev/null || fail "\`java\` or \`mvn\` is missing: apt-get install openjdk-17-jre-headless maven"
  provide_server "$FAMILY"
  [[ ! -e $(proxy)/complete ]] || return 0
  say "shardingsphere: downloading the proxy, which takes some minutes"
  rm -rf "$(proxy)" && mkdir -p "$(proxy)"
  # shellcheck disable=SC2154 # of scripts/engines
  mvn --quiet --batch-mode --file "$here/lib/shardingsphere/pom.xml" dependency:copy-dependencies "-DoutputDirectory=$(proxy)/lib" >&2 ||
    fail "the proxy cannot be had: is Maven Central reached?"
  chmod -R a+rX "$(proxy)"
  touch "$(proxy)/complete"
}

# Named by recipe, so that a changed recipe downloads anew.
proxy() { echo "$CACHE/unpacked/shardingsphere-$(cksum <"$here/lib/shardingsphere/pom.xml" | cut -d' ' -f1)"; }

start() { # name
  local node number=0 home=$HOME_OF_ENGINE/proxy table
  inward=(one two)
  mkdir -p "$home/conf"
  # No password of a person: it is that of the tests' user.
  cat >"$home/conf/server.yaml" <<CONF
rules:
  - !AUTHORITY
    users: ["inrush@%:$PASSWORD"]
    provider: {type: ALL_PRIVILEGES_PERMITTED}
CONF
  {
    printf 'schemaName: shop\ndataSources:\n'
    for node in "${inward[@]}"; do
      start_server "$node" "$FAMILY" </dev/null
      make_user "$node" "$FAMILY"
      ask "$node" "$FAMILY" "CREATE DATABASE shop CHARACTER SET utf8mb4"
      # Their numbers are the remainders of `id`.
      printf '  ds_%d: {url: "jdbc:mysql://127.0.0.1:%d/shop?useSSL=false", username: inrush, password: %s}\n' \
        "$((number++))" "$(cat "$HOME_OF_ENGINE/$node/port")" "$PASSWORD"
    done
    printf 'rules:\n  - !SHARDING\n    tables:\n'
    for table in people t; do
      # shellcheck disable=SC2016 # an expression of the proxy's
      printf '      %s: {actualDataNodes: "ds_${0..1}.%s", databaseStrategy: {standard: {shardingColumn: id, shardingAlgorithmName: by_id}}}\n' \
        "$table" "$table"
    done
    printf '    shardingAlgorithms:\n      by_id: {type: MOD, props: {sharding-count: 2}}\n'
  } >"$home/conf/config-shop.yaml"
  # By default it logs each packet.
  echo '<configuration><root level="warn"/></configuration>' >"$home/logback.xml"
  launch_confined proxy "$INNER_PORT" java -Xmx512m -cp "$home:$(proxy)/lib/*" org.apache.shardingsphere.proxy.Bootstrap "$INNER_PORT" /conf
  await proxy "proxy that answers" ask_proxy "SELECT 1"
  describe "$1" mysql "$(ask_proxy "SELECT VERSION()")" "$(family_root "$FAMILY")/bin/mysql" proxy one two
}

ask_proxy() { # statements
  MYSQL_PWD=$PASSWORD "$(family_root "$FAMILY")/bin/mysql" --no-defaults --skip-ssl --batch --skip-column-names -u inrush -h 127.0.0.1 \
    -P "$(cat "$HOME_OF_ENGINE/proxy/port")" shop -e "$1"
}
