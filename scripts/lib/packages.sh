# shellcheck shell=bash
# Server programs in plain folders: Debian packages downloaded through apt's own machinery and unpacked, never installed.
#
# Why not `apt-get install`: it needs root, one machine can hold only one of these servers that way, and MySQL 9.7 and
# MariaDB 11.8 come from the unstable suite, whose libc must not touch the machine's. Each folder brings its own libc
# and its own dynamic loader, so the programs run on any Debian-like machine with `apt-get`, as any user.
#
# Needs: $CACHE, say, fail.

# The folder that a family of servers is unpacked into. Named by recipe, so that a changed recipe unpacks anew.
family_root() { # family
  echo "$CACHE/unpacked/$1-r$(family_recipe "$1" | cksum | cut -d' ' -f1)"
}

# What a family is made of: the suite, packages with their dependencies, packages alone.
family_recipe() { # family
  case $1 in
    mysql-9.7)     echo "sid | mysql-client-core mysql-server-core openssl | " ;;
    # mariadb-server holds the authentication plugins; mariadb-client the dump program; mariadb-test the only server-side clear text plugin there is.
    mariadb-11.8)  echo "sid | mariadb-server-core mariadb-client-core libmariadb3 libpam0g | mariadb-server mariadb-client mariadb-test" ;;
    mariadb-10.11) echo "bookworm | mariadb-server-core mariadb-client-core libmariadb3 libpam0g | mariadb-server mariadb-client" ;;
    # For scripts/engines alone.
    galera-10.11) echo "bookworm | mariadb-server-core mariadb-client-core libmariadb3 libpam0g galera-4 | mariadb-server" ;;
    spider-10.11) echo "bookworm | mariadb-server-core mariadb-client-core libmariadb3 libpam0g | mariadb-server mariadb-plugin-spider" ;;
    *) fail "no family of servers is called \`$1\`" ;;
  esac
}

family_vendor() { case $1 in mysql-*) echo mysql ;; *) echo mariadb ;; esac; }

# Unpacks a family unless that is done already.
provide_family() { # family
  local family=$1 root suite with_deps alone work began=$SECONDS
  root=$(family_root "$family")
  [[ -e $root/complete ]] && return 0
  IFS='|' read -r suite with_deps alone < <(family_recipe "$family")
  suite=${suite// /}
  say "$family: downloading from the Debian suite $suite"
  # An interrupted attempt leaves no `complete` behind, and is thrown away here.
  rm -rf "$root" && mkdir -p "$root"
  work=$root/apt
  prepare_apt "$work" "$suite"
  private_apt "$work" apt-get -q update
  # shellcheck disable=SC2086 # lists of package names
  private_apt "$work" apt-get -qy --no-install-recommends --download-only install $with_deps
  if [[ -n ${alone// /} ]]; then
    # shellcheck disable=SC2086
    (cd "$work/cache/archives" && private_apt "$work" apt-get -q download $alone)
  fi
  unpack_archives "$work/cache/archives" "$root/root"
  rm -rf "$work" "$root/root/usr/share/"{doc,man,locale,info,lintian}
  write_wrappers "$family" "$root"
  "$root/bin/mysqld" --version | sed -n 's/.*Ver \([^ ]*\).*/\1/p' >"$root/version"
  [[ $(cat "$root/version") == "${family#*-}"* ]] ||
    say "WARNING: the suite $suite now holds $(cat "$root/version"): give \`$family\` in scripts/lib/packages.sh its new name"
  touch "$root/complete"
  say "$family: unpacked $(cat "$root/version") in $((SECONDS - began)) s"
}

unpack_archives() { # folder-with-debs target
  local deb
  mkdir -p "$2"
  for deb in "$1"/*.deb; do
    dpkg-deb --extract "$deb" "$2" || fail "cannot unpack $deb"
  done
}

# Starters that run a program through the folder's own loader; the server's also says where its files lie, so that
# it can be used like an installed one (INRUSH_MYSQLD).
write_wrappers() { # family root
  local family=$1 root=$2/root loader libraries share server client client_options=""
  loader=$(find "$root" -name 'ld-linux*.so.*' -type f | head -n 1)
  [[ -n $loader ]] || fail "no dynamic loader in $root"
  libraries=$root/lib/$(basename "$(dirname "$loader")"):$root/usr/lib/$(basename "$(dirname "$loader")")
  share=$root/usr/share/mysql
  [[ -d $root/usr/share/mariadb/english ]] && share=$root/usr/share/mariadb
  if [[ $(family_vendor "$family") == mysql ]]; then
    server=mysqld client=mysql
  else
    server=mariadbd client=mariadb
    client_options=--plugin-dir=$(dirname "$(find "$root/usr/lib" -path '*libmariadb3/plugin/dialog.so')")
  fi
  mkdir -p "$2/bin"
  write_wrapper "$2/bin/mysqld" "$loader" "$libraries" "$root/usr/sbin/$server" \
    "--basedir=$root/usr --lc-messages-dir=$share --character-sets-dir=$share/charsets --plugin-dir=$root/usr/lib/mysql/plugin"
  write_wrapper "$2/bin/mysql" "$loader" "$libraries" "$root/usr/bin/$client" "$client_options"
  for client in openssl mysqlimport; do
    [[ ! -e $root/usr/bin/$client ]] || write_wrapper "$2/bin/$client" "$loader" "$libraries" "$root/usr/bin/$client" ""
  done
  for client in mysqldump mariadb-dump; do
    [[ ! -e $root/usr/bin/$client ]] || write_wrapper "$2/bin/dump" "$loader" "$libraries" "$root/usr/bin/$client" ""
  done
}

write_wrapper() { # file loader libraries program options
  # Options last: the server insists that --defaults-file and its like come first.
  printf '#!/bin/sh\nexec %s --library-path %s %s "$@" %s\n' "$2" "$3" "$4" "$5" >"$1"
  chmod 755 "$1"
}

# A private apt: its own source, lists, cache and an empty status, so that it sees a machine without any package and
# resolves dependencies down to the libc, and never touches the machine's own state.
prepare_apt() { # folder suite
  local keyring=/usr/share/keyrings/debian-archive-keyring.gpg signed="" uri
  mkdir -p "$1"/{lists/partial,cache/archives/partial,state}
  : >"$1/state/status"
  [[ -e $keyring ]] && signed="[signed-by=$keyring]"
  {
    echo "deb $signed $(debian_mirror) $2 main"
    # A stable suite gets its security fixes where the machine gets them, if it does.
    if [[ $2 != sid ]]; then
      for uri in $(configured_repositories | grep -E 'debian-security/?$' | head -n 1); do
        echo "deb $signed $uri $2-security main"
      done
    fi
  } >"$1/sources.list"
  cat >"$1/apt.conf" <<CONF
Dir::Etc::sourcelist "$1/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State "$1/state";
Dir::State::lists "$1/lists";
Dir::State::status "$1/state/status";
Dir::Cache "$1/cache";
Acquire::Languages "none";
Acquire::Retries "3";
APT::Sandbox::User "";
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Post-Invoke;
CONF
}

private_apt() { # folder program arguments..
  local folder=$1 program=$2
  shift 2
  # -c and not APT_CONFIG: it is read after the machine's own configuration, so ours wins and proxies stay.
  "$program" -c "$folder/apt.conf" "$@" >>"$folder/../apt.log" 2>&1 ||
    { tail -n 20 "$folder/../apt.log" >&2; fail "\`$program $*\` failed"; }
}

# The mirror that this machine's own apt uses for Debian.
debian_mirror() {
  local uri
  uri=$(configured_repositories | grep -E '/debian/?$' | head -n 1)
  [[ -n $uri ]] || fail "no Debian mirror in this machine's apt configuration (scripts/servers needs a Debian machine)"
  echo "$uri"
}

configured_repositories() {
  # shellcheck disable=SC2016 # a format of apt's own
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | sort -u
}
