#!/usr/bin/env bash
# Starts PostgreSQL in a container: makes the cluster and the database at the first start, then serves the network.
set -euo pipefail
data=/var/lib/postgresql/data/cluster
bin=/opt/postgres/bin
if [[ ! -f $data/PG_VERSION ]]; then
  "$bin/initdb" -D "$data" --auth=trust --username="$POSTGRES_USER" --encoding=UTF8 --locale=C
  printf 'host all all all trust\n' >>"$data/pg_hba.conf"
  printf 'create database %s;\n' "$POSTGRES_DB" | "$bin/postgres" --single -D "$data" postgres
fi
exec "$bin/postgres" -D "$data" -h 0.0.0.0 -k '' -c max_connections=300
