# shellcheck shell=bash
# Server instances: how one is configured, started, watched and stopped.
#
# An instance lives in $CACHE/run/NAME: my.cnf, init.sql, data, tmp, files, mysqld.sock, error.log, pid, port.
# Its pid counts only while /proc says that the process was started with this instance's my.cnf.
#
# Needs: $CACHE, $GENERATION, $TEMPLATE, say, fail, provide_family and its like.

# The instances of a flavour: name, family, local_infile, certificate.
instances() { # flavour
  case $1 in
    test)
      echo "mysql-9.7-local mysql-9.7 1 own"
      # One instance keeps the certificate that MySQL makes for itself, as most servers out there do.
      echo "mysql-9.7-nolocal mysql-9.7 0 automatic"
      echo "mariadb-10.11-local mariadb-10.11 1 own"
      echo "mariadb-10.11-nolocal mariadb-10.11 0 own"
      echo "mariadb-11.8-local mariadb-11.8 1 own"
      echo "mariadb-11.8-nolocal mariadb-11.8 0 own"
      ;;
    bench)
      echo "mysql-9.7-bench mysql-9.7 1 own"
      echo "mariadb-10.11-bench mariadb-10.11 1 own"
      ;;
  esac
}

# One line per user beside root: plugin, name, password. The first one is the tests' own, with every right.
users() { # family
  case $1 in
    mysql-9.7)
      echo "caching_sha2_password inrush inrush-Pass1"
      echo "caching_sha2_password u_caching_sha2 sha2-Pass1"
      echo "caching_sha2_password u_empty "
      echo "sha256_password u_sha256 sha256-Pass1"
      ;;
    mariadb-*)
      echo "mysql_native_password inrush inrush-Pass1"
      echo "mysql_native_password u_native native-Pass1"
      echo "mysql_native_password u_empty "
      echo "ed25519 u_ed25519 ed25519-Pass1"
      ;;&
    mariadb-11.8)
      echo "parsec u_parsec parsec-Pass1"
      echo "caching_sha2_password u_caching_sha2 sha2-Pass1"
      echo "cleartext_plugin_server u_clear clear-Pass1"
      ;;
  esac
}

plugin_libraries() { # family
  case $1 in
    mariadb-10.11) echo "auth_ed25519" ;;
    mariadb-11.8) echo "auth_ed25519 auth_parsec auth_mysql_sha2 auth_test_plugin" ;;
  esac
}

# True while the instance's process runs. Cheap: no process is started.
is_running() { # name
  local pid cmdline
  { read -r pid <"$CACHE/run/$1/pid" && IFS= read -r -d '' cmdline <"/proc/$pid/cmdline"; } 2>/dev/null || return 1
  cmdline=$(tr '\0' '\n' <"/proc/$pid/cmdline" 2>/dev/null)
  [[ $cmdline == *"--defaults-file=$CACHE/run/$1/my.cnf"* ]]
}

# True if the instance runs and an `up` saw it answer.
is_ready() { # name
  is_running "$1" && [[ -e $CACHE/run/$1/ready ]]
}

# Starts the server's process; `await_instance` waits for it.
launch_instance() { # name family local_infile certificate flavour
  local name=$1 family=$2 home=$CACHE/run/$1
  mkdir -p "$home"
  rm -f "$home/ready" "$home/pid"
  if [[ ! -e $home/data/complete || $(cat "$home/generation" 2>/dev/null) != "$GENERATION" ]]; then
    rm -rf "$home/data"
    mkdir -p "$home"/{tmp,files}
    # shellcheck disable=SC2153 # TEMPLATE is one of scripts/servers
    cp -a --reflink=auto "$CACHE/template/$family-g$TEMPLATE/data" "$home/data"
    # An auto.cnf or a certificate copied from the template would make two servers look like one.
    rm -f "$home/data/auto.cnf"
    echo "$GENERATION" >"$home/generation"
  fi
  free_port "$home/port" >"$home/port.new" && mv "$home/port.new" "$home/port"
  write_config "$@" >"$home/my.cnf"
  write_users "$family" >"$home/init.sql"
  own_by_server "$home"
  chmod 600 "$home/my.cnf" "$home/init.sql"
  chmod 1777 "$home/files"
  : >"$home/error.log" && own_by_server "$home/error.log"
  # Its own session, so that a Ctrl-C here does not reach it; no inherited lock, so that `up` does not hold it for ever.
  setsid "${AS_SERVER[@]}" "$(family_root "$family")/bin/mysqld" "--defaults-file=$home/my.cnf" \
    </dev/null >>"$home/error.log" 2>&1 8>&- 9>&- &
  local pid=$! i
  echo "$pid" >"$home/pid"
  # For a moment the new process is still this shell, which is_running does not recognise.
  for ((i = 0; i < 100; i++)); do
    if is_running "$name" || [[ ! -e /proc/$pid ]]; then return 0; fi
    sleep 0.02
  done
}

# Waits until the instance greets. Between the probe of a free port and the server's own bind another process may take that port: then
# the server starts again with another one, until it has one. Data too damaged to start with are made anew, twice.
await_instance() { # name family local_infile certificate flavour
  local name=$1 home=$CACHE/run/$1 tries=3 ports=50
  while ! await_greeting "$name"; do
    stop_instance "$name"
    if is_port_taken "$home/error.log"; then
      ports=$((ports - 1))
      say "$name: port $(cat "$home/port") is taken, trying another one"
      rm -f "$home/port"
    else
      tries=$((tries - 1))
      say "$name did not start, trying again"
      rm -rf "$home/data"
    fi
    if ((tries == 0 || ports == 0)); then
      tail -n 30 "$home/error.log" >&2
      fail "$name does not start; its log is $home/error.log"
    fi
    launch_instance "$@"
  done
  if [[ $4 == automatic ]]; then cp "$home/data/ca.pem" "$home/ca.pem" && chmod 644 "$home/ca.pem"; fi
  touch "$home/ready"
}

await_greeting() { # name
  local port deadline=$((SECONDS + ${INRUSH_SERVER_WAIT:-120} * ${INRUSH_TEST_PATIENCE:-1}))
  port=$(cat "$CACHE/run/$1/port")
  while ((SECONDS < deadline)); do
    is_running "$1" || return 1
    # Its own log says that it has this port: a greeting may be that of another server, which took the port first. init.sql has run by
    # the time of the first packet.
    if grep -qE "socket: .* port: $port( |\$)" "$CACHE/run/$1/error.log" &&
      (exec 7<>"/dev/tcp/127.0.0.1/$port" && IFS= read -r -t 5 -N 1 -u 7) 2>/dev/null; then
      return 0
    fi
    sleep 0.1
  done
  return 1
}

is_port_taken() { # error-log
  grep -qiE 'address already in use|bind on tcp' "$1"
}

stop_instance() { # name
  local pid i
  if is_running "$1"; then
    pid=$(cat "$CACHE/run/$1/pid")
    kill -TERM "$pid"
    for ((i = 0; i < 300; i++)); do
      is_running "$1" || break
      sleep 0.1
    done
    if is_running "$1"; then
      say "$1 did not stop within 30 s: killed"
      kill -KILL "$pid"
    fi
  fi
  # A process that ends holds its files and port for a while after its memory, and with that its command line, is gone.
  if read -r pid 2>/dev/null <"$CACHE/run/$1/pid"; then
    for ((i = 0; i < 200; i++)); do
      [[ -e /proc/$pid && -z $(tr -d '\0' 2>/dev/null <"/proc/$pid/cmdline") ]] || break
      [[ $(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null) != Z* ]] || break
      sleep 0.05
    done
  fi
  rm -f "$CACHE/run/$1/pid" "$CACHE/run/$1/ready"
}

# A data folder initialised once per family and generation, to be copied.
provide_template() { # family
  local family=$1 root template=$CACHE/template/$1-g$TEMPLATE options
  [[ -e $template/data/complete ]] && return 0
  root=$(family_root "$family")
  say "$family: initialising a data folder"
  rm -rf "$template" && mkdir -p "$template"/{data,tmp}
  own_by_server "$template"
  options=(--no-defaults "--datadir=$template/data" "--tmpdir=$template/tmp" --innodb-buffer-pool-size=64M)
  if [[ $(family_vendor "$family") == mysql ]]; then
    "${AS_SERVER[@]}" "$root/bin/mysqld" "${options[@]}" --initialize-insecure --innodb-redo-log-capacity=256M \
      --log-error="$template/log"
  else
    mariadb_system_tables "$root/root/usr/share" |
      "${AS_SERVER[@]}" "$root/bin/mysqld" "${options[@]}" --bootstrap --skip-networking --max-allowed-packet=8M >"$template/log" 2>&1
  fi || { tail -n 20 "$template/log" >&2; fail "cannot initialise a data folder for $family"; }
  "${AS_SERVER[@]}" touch "$template/data/complete"
}

# The statements that turn an empty folder into a MariaDB data folder, as mariadb-install-db feeds them.
mariadb_system_tables() { # share
  local part folder=$1/mysql
  [[ -e $1/mariadb/fill_help_tables.sql ]] && folder=$1/mariadb
  # --bootstrap takes one statement a line.
  printf '%s\n' 'create database if not exists mysql;' 'use mysql;' 'set @auth_root_socket = null;'
  for part in system_tables performance_tables system_tables_data; do
    cat "$folder"/{mysql,mariadb}_"$part".sql 2>/dev/null
  done
  cat "$folder/fill_help_tables.sql" "$folder/maria_add_gis_sp_bootstrap.sql"
  cat "$folder"/{mysql,mariadb}_sys_schema.sql 2>/dev/null
  return 0
}

write_config() { # name family local_infile certificate flavour
  local home=$CACHE/run/$1 vendor library
  vendor=$(family_vendor "$2")
  cat <<CONF
[mysqld]
datadir = $home/data
socket = $home/mysqld.sock
pid-file = $home/mysqld.pid
log-error = $home/error.log
tmpdir = $home/tmp
port = $(cat "$home/port")
bind-address = 127.0.0.1
skip-name-resolve
secure-file-priv = ""
init-file = $home/init.sql
local-infile = $3
max-connections = 500
# Tests break handshakes by the hundred; the server must not lock their address out.
max-connect-errors = 1000000
innodb-flush-log-at-trx-commit = 1
# Tests check connection attributes.
performance-schema = on
CONF
  if [[ $4 == own ]]; then
    printf '%s\n' "ssl-ca = $CACHE/tls/ca.pem" "ssl-cert = $CACHE/tls/server-cert.pem" "ssl-key = $CACHE/tls/server-key.pem"
  fi
  if [[ $5 == bench ]]; then echo "innodb-buffer-pool-size = 2G"; else echo "innodb-buffer-pool-size = 160M"; fi
  # Packets of several frames in both directions need more than MariaDB's 16 MiB; the other instance keeps what its vendor chose.
  if [[ $vendor == mariadb && $3 == 0 ]]; then echo "max-allowed-packet = 40M"; fi
  if [[ $vendor == mysql ]]; then
    echo "mysqlx = 0"
    # The log stays on, as by default, but must not fill the disk.
    printf '%s\n' "sync-binlog = 1" "max-binlog-size = 128M" "binlog-expire-logs-seconds = 300"
    if [[ $5 == bench ]]; then echo "innodb-redo-log-capacity = 2G"; else echo "innodb-redo-log-capacity = 256M"; fi
  else
    for library in $(plugin_libraries "$2"); do echo "plugin-load-add = $library"; done
    # The test plugin for clear text states no maturity.
    echo "plugin-maturity = unknown"
    if [[ $5 == bench ]]; then echo "innodb-log-file-size = 2G"; fi
  fi
}

# Run at each start, before the first connection; so each line must bear being repeated.
write_users() { # family
  local plugin name password vendor
  vendor=$(family_vendor "$1")
  echo "ALTER USER root@localhost IDENTIFIED BY '$ROOT_PASSWORD';"
  echo "CREATE USER IF NOT EXISTS root@'127.0.0.1';"
  echo "ALTER USER root@'127.0.0.1' IDENTIFIED BY '$ROOT_PASSWORD';"
  echo "GRANT ALL PRIVILEGES ON *.* TO root@'127.0.0.1' WITH GRANT OPTION;"
  while read -r plugin name password; do
    if [[ $vendor == mysql ]]; then
      echo "CREATE USER IF NOT EXISTS '$name'@'%' IDENTIFIED WITH $plugin BY '$password';"
    elif [[ $plugin == cleartext_plugin_server ]]; then
      # A test plugin: what it compares with is the authentication string itself.
      echo "CREATE USER IF NOT EXISTS '$name'@'%' IDENTIFIED VIA $plugin USING '$password';"
    elif [[ -z $password ]]; then
      echo "CREATE USER IF NOT EXISTS '$name'@'%' IDENTIFIED VIA $plugin USING '';"
    else
      echo "CREATE USER IF NOT EXISTS '$name'@'%' IDENTIFIED VIA $plugin USING PASSWORD('$password');"
    fi
    echo "GRANT ALL PRIVILEGES ON *.* TO '$name'@'%' WITH GRANT OPTION;"
  done < <(users "$1")
}

# The port of last time if nobody listens there now, else another one below the range of ephemeral ports.
free_port() { # file-with-last-port
  local port tries
  read -r port 2>/dev/null <"$1" || port=$((20000 + RANDOM % 10000))
  for ((tries = 0; tries < 200; tries++)); do
    if ! (exec 7<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && ! grep -qsx "$port" "$CACHE"/run/*/port; then
      echo "$port"
      return
    fi
    # Its own recorded port is free to be used again.
    if [[ $(cat "$1" 2>/dev/null) == "$port" ]] && ! (exec 7<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
      echo "$port"
      return
    fi
    port=$((20000 + RANDOM % 10000))
  done
  fail "no free port between 20000 and 30000"
}

# A certificate authority, a server certificate for localhost, and an authority that signed neither.
provide_certificates() {
  local tls=$CACHE/tls openssl
  [[ -e $tls/complete ]] && return 0
  openssl=$(family_root mysql-9.7)/bin/openssl
  rm -rf "$tls" && mkdir -p "$tls"
  printf '%s\n' '[req]' 'distinguished_name = dn' 'prompt = no' '[dn]' 'CN = localhost' '[ca]' \
    'basicConstraints = critical, CA:TRUE' 'keyUsage = critical, keyCertSign, cRLSign' 'subjectKeyIdentifier = hash' \
    '[server]' 'basicConstraints = CA:FALSE' 'subjectAltName = DNS:localhost, IP:127.0.0.1' \
    'extendedKeyUsage = serverAuth' >"$tls/openssl.cnf"
  {
    export OPENSSL_CONF=$tls/openssl.cnf
    local ca
    for ca in ca other-ca; do
      "$openssl" req -x509 -newkey rsa:2048 -nodes -days 3650 -subj "/CN=inrush test $ca" -extensions ca \
        -keyout "$tls/$ca-key.pem" -out "$tls/$ca.pem"
    done
    "$openssl" req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout "$tls/server-key.pem" -out "$tls/server.csr"
    "$openssl" x509 -req -in "$tls/server.csr" -CA "$tls/ca.pem" -CAkey "$tls/ca-key.pem" -set_serial 1 -days 3650 \
      -extfile "$tls/openssl.cnf" -extensions server -out "$tls/server-cert.pem"
    unset OPENSSL_CONF
  } >"$tls/log" 2>&1 || { cat "$tls/log" >&2; fail "cannot make certificates"; }
  chmod 644 "$tls"/*.pem && chmod 600 "$tls"/*-key.pem
  own_by_server "$tls/server-key.pem"
  touch "$tls/complete"
}

own_by_server() { # path
  ((EUID == 0)) && chown -R --no-dereference "$SERVER_USER" "$1"
  return 0
}

# One JSON object per instance, in the order of `instances`.
describe_instance() { # name family local_infile certificate flavour
  local home=$CACHE/run/$1 root ca plugin name password separator=""
  root=$(family_root "$2")
  ca=$CACHE/tls/ca.pem
  [[ $4 == automatic ]] && ca=$home/ca.pem
  printf '{"name":"%s","instance":"%s","vendor":"%s","version":"%s","local_infile":%s,"certificate":"%s",\n ' \
    "$2" "$1" "$(family_vendor "$2")" "$(cat "$root/version")" "$([[ $3 == 1 ]] && echo true || echo false)" "$4"
  printf '"host":"127.0.0.1","port":%d,"socket":"%s","user":"inrush","password":"inrush-Pass1","root_password":"%s",\n ' \
    "$(cat "$home/port")" "$home/mysqld.sock" "$ROOT_PASSWORD"
  printf '"ca":"%s","wrong_ca":"%s","pid":%d,"mysqld":"%s","client":"%s","basedir":"%s","error_log":"%s","file_dir":"%s",\n ' \
    "$ca" "$CACHE/tls/other-ca.pem" "$(cat "$home/pid")" "$root/bin/mysqld" "$root/bin/mysql" "$root/root/usr" \
    "$home/error.log" "$home/files"
  printf '"users":['
  while read -r plugin name password; do
    printf '%s{"plugin":"%s","user":"%s","password":"%s"}' "$separator" "$plugin" "$name" "$password"
    separator=,
  done < <(users "$2")
  printf ']}'
}
