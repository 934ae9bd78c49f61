# shellcheck shell=bash
# The processes of an engine: MySQL and MariaDB servers that are configured line by line, and any other program.
#
# Each lives in $HOME_OF_ENGINE/NODE: my.cnf, data, tmp, mysqld.sock, log, port, pid. A pid counts only while the process has the node's
# folder in its environment: its number may have been given to another program.
#
# Needs: $here, $CACHE, $HOME_OF_ENGINE, $TEMPLATE, $PASSWORD, AS_SERVER, say, fail, and packages.sh.

# Starts a server with the lines of the standard input in its configuration, and waits until it answers.
start_server() { # node family options..
  local node=$1 family=$2 home=$HOME_OF_ENGINE/$1 share
  mkdir -p "$home"/{data,tmp}
  cp -a --reflink=auto "$CACHE/template/$family-g$TEMPLATE/data/." "$home/data"
  rm -f "$home/data/auto.cnf"
  [[ -e $home/port ]] || free_ports 1 >"$home/port"
  {
    cat <<CONF
[mysqld]
datadir = $home/data
socket = $home/mysqld.sock
pid-file = $home/mysqld.pid
log-error = $home/log
tmpdir = $home/tmp
port = $(cat "$home/port")
bind-address = 127.0.0.1
skip-name-resolve
secure-file-priv = ""
local-infile = 1
max-connections = 300
max-connect-errors = 1000000
innodb-buffer-pool-size = 64M
CONF
    if [[ $(family_vendor "$family") == mysql ]]; then printf '%s\n' "mysqlx = 0" "innodb-redo-log-capacity = 128M"; fi
    cat
  } >"$home/my.cnf"
  share=$(family_root "$family")
  PATH=$share/bin:$share/root/usr/bin:$PATH launch "$node" "$share/bin/mysqld" "--defaults-file=$home/my.cnf" "${@:3}"
  await "$node" "a server that answers" ask "$node" "$family" "SELECT 1"
}

# Runs SQL on a node as root; prints rows.
ask() { # node family statements
  "$(family_root "$2")/bin/mysql" --no-defaults --batch --skip-column-names -u root "--socket=$HOME_OF_ENGINE/$1/mysqld.sock" -e "$3"
}

# The same on the node `node` of an engine that listens on a port alone.
ask_by_tcp() { # statements
  # shellcheck disable=SC2153 # of the engine's file
  "$(family_root "$FAMILY")/bin/mysql" --no-defaults --skip-ssl --batch --skip-column-names -u root -h 127.0.0.1 \
    -P "$(cat "$HOME_OF_ENGINE/node/port")" -e "$1"
}

# Makes the tests' user. Nothing of it goes into the binary log: each node of a group makes it for itself.
make_user() { # node family
  ask "$1" "$2" "SET sql_log_bin = 0; CREATE USER inrush@'%' IDENTIFIED BY '$PASSWORD';
    GRANT ALL PRIVILEGES ON *.* TO inrush@'%' WITH GRANT OPTION"
}

# Starts a program in a session of its own: a Ctrl-C here does not reach it, and it inherits no lock. Its output is the node's log.
launch() { # node command..
  local home=$HOME_OF_ENGINE/$1
  mkdir -p "$home"
  : >>"$home/log"
  if ((EUID == 0)); then chown -R --no-dereference "$SERVER_USER:nogroup" "$home"; fi
  INRUSH_ENGINE=$home setsid env "--chdir=$home" "${AS_SERVER[@]}" "${@:2}" </dev/null >>"$home/log" 2>&1 9>&- &
  echo $! >"$home/pid"
}

# Waits until a command succeeds, as long as the node's process runs.
await() { # node what command..
  local tries=0
  until "${@:3}" >/dev/null 2>&1; do
    if ! is_node_running "$1" && ((tries > 20)); then
      tail -n 30 "$HOME_OF_ENGINE/$1/log" >&2
      fail "\`$1\` ended before there was $2; its log is $HOME_OF_ENGINE/$1/log"
    fi
    if ((++tries > 1200 * ${INRUSH_TEST_PATIENCE:-1})); then
      tail -n 30 "$HOME_OF_ENGINE/$1/log" >&2
      fail "\`$1\`: no $2 after $((tries / 10)) s; its log is $HOME_OF_ENGINE/$1/log"
    fi
    sleep 0.1
  done
}

is_node_running() { # node
  local pid
  pid=$(cat "$HOME_OF_ENGINE/$1/pid" 2>/dev/null) || return 1
  # It may end meanwhile.
  { tr '\0' '\n' <"/proc/$pid/environ" | grep -qx "INRUSH_ENGINE=$HOME_OF_ENGINE/$1"; } 2>/dev/null
}

# The nodes that were started, in the order of their start.
nodes() {
  find "$HOME_OF_ENGINE" -mindepth 2 -maxdepth 2 -name pid -printf '%T@ %P\n' 2>/dev/null | sort -n | sed 's/^[^ ]* //; s/\/pid$//'
}

all_run() {
  local node
  for node in $(nodes); do is_node_running "$node" || return 1; done
}

# The last one that was started ends first: proxies before servers. Each has its own process group, which may have children.
stop_all() {
  local node pid i
  for node in $(nodes | tac); do
    is_node_running "$node" || continue
    pid=$(cat "$HOME_OF_ENGINE/$node/pid")
    kill -TERM "$pid"
    for ((i = 0; i < 300; i++)); do
      is_node_running "$node" || break
      sleep 0.1
    done
    kill -KILL -- "-$pid" 2>/dev/null || true
  done
}

# How to reach the nodes, as tests read it: an array like that of scripts/servers. The first one is the node that clients speak to. Without a
# socket a node is reached by TCP.
describe() { # name vendor version client nodes..
  local node socket separator="["
  for node in "${@:5}"; do
    socket=$HOME_OF_ENGINE/$node/mysqld.sock
    [[ -e $socket ]] || socket=""
    printf '%s{"name":"%s","instance":"%s","vendor":"%s","version":"%s","local_infile":true,"certificate":"automatic",\n ' \
      "$separator" "$1" "$1-$node" "$2" "$3"
    printf '"host":"127.0.0.1","port":%d,"socket":"%s","user":"inrush","password":"%s","root_password":"","users":[],\n ' \
      "$(cat "$HOME_OF_ENGINE/$node/port")" "$socket" "$PASSWORD"
    printf '"ca":"","wrong_ca":"","pid":%d,"mysqld":"","client":"%s","basedir":"","error_log":"%s","file_dir":""}' \
      "$(cat "$HOME_OF_ENGINE/$node/pid")" "$4" "$HOME_OF_ENGINE/$node/log"
    separator=$',\n'
  done >"$HOME_OF_ENGINE/engine.json.new"
  echo "]" >>"$HOME_OF_ENGINE/engine.json.new"
  mv "$HOME_OF_ENGINE/engine.json.new" "$HOME_OF_ENGINE/engine.json"
}

# Ports on which nobody listens now, below the range of ephemeral ones.
free_ports() { # how many
  local port=$((20000 + RANDOM % 9000)) n=0
  while ((n < $1)); do
    if ! (exec 7<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
      echo "$port"
      n=$((n + 1))
    fi
    port=$((port + 1))
  done
}

provide_server() { # family
  provide_family "$1"
  provide_template "$1"
}

# Nodes that a confined program may reach.
inward=()

can_confine() {
  if ((EUID == 0)) && command -v ip >/dev/null && command -v unshare >/dev/null; then return 0; fi
  fail "it listens on every interface, and only root can give it a network of its own (\`unshare\`, \`ip\` of iproute2)"
}

# The same as `launch` for a program that listens on every interface: in a network of its own, out of which one port leads to the loopback
# address here. A node's port in `inward` is a port of that network too, by the node's Unix socket.
launch_confined() { # node inner-port command..
  local home=$HOME_OF_ENGINE/$1 inner=$2
  # lib/confine.py makes the network as root, and runs the program as this user.
  local -a AS_SERVER=() options=()
  local other
  for other in "${inward[@]}"; do
    options+=(--in "$(cat "$HOME_OF_ENGINE/$other/port")=$HOME_OF_ENGINE/$other/mysqld.sock")
  done
  mkdir -p "$home"
  rm -f "$home/port"
  # shellcheck disable=SC2154 # of scripts/engines
  launch "$1" "$PYTHON" "$here/lib/confine.py" --port-file "$home/port" --user "$SERVER_USER" "${options[@]}" "$inner" "${@:3}"
  await "$1" "port" test -e "$home/port"
}

# Builds programs of the Go modules that lib/NAME/go.mod pins, into a folder of that recipe. Modules and objects, which are gigabytes, are
# removed once the programs are there.
build_with_go() { # name packages..
  local work target
  target=$(built_with_go "$1")
  [[ ! -e $target/complete ]] || return 0
  command -v go >/dev/null || fail "\`go\` is missing: it builds $1 (https://go.dev/dl)"
  say "$1: building, which takes some minutes"
  rm -rf "$target" && mkdir -p "$target"
  work=$(mktemp -d "$CACHE/engines/build.XXXXXX")
  (cd "$here/lib/$1" && GOPATH=$work/path GOCACHE=$work/cache GOFLAGS=-modcacherw nice go build -trimpath -ldflags "-s -w" -o "$target/" "${@:2}") >&2 ||
    { rm -rf "$work"; fail "$1 cannot be built: is the Go module proxy reached?"; }
  rm -rf "$work"
  chmod -R a+rX "$target"
  touch "$target/complete"
}

built_with_go() { echo "$CACHE/unpacked/$1-$(cat "$here/lib/$1"/go.* | cksum | cut -d' ' -f1)"; } # name
