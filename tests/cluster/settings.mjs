/** Configurations of the programs in the cluster. */
import { pgbouncer } from '../support/pooler.mjs'

export const etcd = (folder, ports) => [
  '--name', 'only', '--data-dir', folder, '--log-level', 'warn',
  '--listen-client-urls', `http://127.0.0.1:${ports.etcd}`, '--advertise-client-urls', `http://127.0.0.1:${ports.etcd}`,
  '--listen-peer-urls', `http://127.0.0.1:${ports.etcdPeer}`, '--initial-advertise-peer-urls', `http://127.0.0.1:${ports.etcdPeer}`,
  '--initial-cluster', `only=http://127.0.0.1:${ports.etcdPeer}`,
]

/** The time to live limits for how long a lost primary remains registered. Patroni requires at least `loop_wait + 2 * retry_timeout`. */
export const patroni = (member, ports, bin, folder) => `
scope: cluster
name: ${member.name}
restapi: { listen: "127.0.0.1:${member.api}", connect_address: "127.0.0.1:${member.api}" }
etcd3: { host: "127.0.0.1:${ports.etcd}" }
bootstrap:
  dcs:
    ttl: 9
    loop_wait: 1
    retry_timeout: 3
    maximum_lag_on_failover: 1048576
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      use_slots: true
      parameters: { wal_level: logical, max_connections: 150, max_wal_senders: 20, max_replication_slots: 20, fsync: "off", jit: "off", wal_keep_size: 512MB }
  initdb: [ { encoding: UTF8 }, { locale: C.UTF-8 }, no-sync ]
  pg_hba: [ "local all all trust", "host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust" ]
postgresql:
  listen: "127.0.0.1:${member.port}"
  connect_address: "127.0.0.1:${member.port}"
  data_dir: ${member.folder}
  bin_dir: ${bin}
  pgpass: ${folder}/${member.name}.pgpass
  remove_data_directory_on_rewind_failure: true
  remove_data_directory_on_diverged_timelines: true
  authentication:
    superuser: { username: supabase_admin }
    replication: { username: replicator }
    rewind: { username: supabase_admin }
  parameters: { unix_socket_directories: ${folder} }
`

/**
 * For the database, HAProxy requests from Patroni which member is the primary. For Cloch, it uses the health checks of the nodes. `retries`: attempts
 * at other nodes if a connection is refused.
 */
export const haproxy = (members, ports, { check, retries }) => `
defaults
  timeout connect 2s
  timeout client 10m
  timeout server 10m
listen primary
  mode tcp
  bind 127.0.0.1:${ports.primary}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${members.map(({ name, api, port }) => `  server ${name} 127.0.0.1:${port} check port ${api}`).join('\n')}
listen front
  mode http
  bind 127.0.0.1:${ports.front}
  option httpchk GET ${check}
  retries ${retries}
${retries > 0 ? '  option redispatch\n  retry-on conn-failure' : ''}
  default-server inter 500ms fall 1 rise 1
${ports.nodes.map((port, index) => `  server node${index + 1} 127.0.0.1:${port} check`).join('\n')}
`

export const sessionPooler = (ports, users, folder) => pgbouncer({
  databases: `postgres = host=127.0.0.1 port=${ports.primary} dbname=postgres`, port: ports.pooler, users, folder,
  more: `pool_mode = session
default_pool_size = 100
server_check_delay = 1
server_login_retry = 1
query_wait_timeout = 10
ignore_startup_parameters = extra_float_digits,options,IntervalStyle,tcp_keepalives_idle,tcp_keepalives_interval,tcp_keepalives_count,tcp_user_timeout`,
})
