/** The configurations of a test's cluster: what an operator writes for Patroni and HAProxy, on one network. */
import { join } from "node:path"

export const BINARIES = "/usr/lib/postgresql/15/bin"
export const POSTGRES_PORT = 5432
export const REST_PORT = 8008
export const ETCD_PORT = 2379
export const SCOPE = "safelight"
export const USER = "safelight"

export interface ClusterSettings {
  readonly isSynchronous: boolean
  /** How long the leader's lease lasts. */
  readonly ttlS: number
}

export interface MemberFile extends ClusterSettings {
  readonly name: string
  readonly address: string
  readonly etcd: string
  readonly folder: string
  readonly password: string
}

const PARAMETERS = {
  max_connections: 100,
  // A leader that is cut off and stops waits so long for its standbys, a minute by default; then it may come back.
  wal_sender_timeout: "3s",
}

/** JSON is YAML too. */
export function toPatroniFile(member: MemberFile): string {
  const { address, etcd, folder, isSynchronous, name, password, ttlS } = member
  const login = { username: USER, password }
  return JSON.stringify({
    scope: SCOPE,
    name,
    restapi: { listen: `0.0.0.0:${REST_PORT}`, connect_address: `${address}:${REST_PORT}` },
    // Over etcd's third API this Patroni (3.0.2) renews its lease without asking whose it is: a leader that was frozen
    // and wakes takes it back, and what its successor has acknowledged is lost (patroni/patroni#2689).
    etcd: { host: `${etcd}:${ETCD_PORT}` },
    watchdog: { mode: "off" },
    bootstrap: {
      dcs: {
        ttl: ttlS,
        loop_wait: 1,
        retry_timeout: 3,
        // A standby far behind may lead as well: the story of lost commits is about it.
        maximum_lag_on_failover: 1 << 30,
        synchronous_mode: isSynchronous,
        postgresql: { use_pg_rewind: true, use_slots: true, parameters: PARAMETERS },
      },
      initdb: [
        { encoding: "UTF8" },
        { "locale-provider": "icu" },
        { "icu-locale": "en" },
        "data-checksums",
      ],
    },
    postgresql: {
      listen: `0.0.0.0:${POSTGRES_PORT}`,
      connect_address: `${address}:${POSTGRES_PORT}`,
      data_dir: join(folder, "data"),
      bin_dir: BINARIES,
      pgpass: join(folder, "pgpass"),
      parameters: { unix_socket_directories: folder },
      authentication: { superuser: login, replication: { username: "replicator", password } },
      pg_hba: [
        "local all all scram-sha-256",
        "host all all all scram-sha-256",
        "host replication replicator all scram-sha-256",
      ],
      remove_data_directory_on_diverged_timelines: true,
    },
  })
}

/**
 * As Patroni's own template has it. Its listening socket comes from the test, on whose loopback it is; what the test
 * asks of the members and of etcd passes by a socket file each.
 */
export function toHaproxyFile(
  folder: string,
  etcd: string,
  members: readonly { readonly name: string; readonly machine: { readonly address: string } }[],
): string {
  const servers = members.map(
    ({ machine, name }) =>
      `  server ${name} ${machine.address}:${POSTGRES_PORT} check port ${REST_PORT}`,
  )
  const asked = [
    ...members.map(({ machine, name }) => ({ name, to: `${machine.address}:${REST_PORT}` })),
    { name: "etcd", to: `${etcd}:${ETCD_PORT}` },
  ]
  const doors = asked.map(
    ({ name, to }) => `listen ask-${name}
  bind unix@${join(folder, `${name}.sock`)} mode 666
  server it ${to}
`,
  )
  return `defaults
  mode tcp
  retries 1
  timeout connect 1s
  timeout check 2s
  timeout client 1h
  timeout server 1h

listen postgres
  bind fd@3
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join("\n")}

${doors.join("\n")}`
}
