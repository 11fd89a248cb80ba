/**
 * A proxy as the files of the page about deploying configure it, in front of a service of the test's own: their own
 * lines, but for addresses, files and TLS.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { open, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { ROOT } from "../../architecture/workspaces.ts"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { until } from "../../support/until.ts"
import { findFreePort } from "../../support/free-port.ts"

const FOLDER = join(ROOT, "packages/safelight/docs/deploy")

export type ProxyKind = keyof typeof KINDS

export interface Proxy extends AsyncDisposable {
  readonly url: string
  /** What it has logged of requests so far. */
  readLog(): string
  /** What it has written of faults, to a file or to its standard error. */
  readErrors(): string
}

interface Places {
  readonly folder: string
  readonly log: string
  readonly errors: string
  readonly port: number
  /** Of the service, without a scheme. */
  readonly upstream: string
}

interface Kind {
  readonly executable: string
  /** The file that configures it. */
  readonly configuration: string
  /** What of the file is another here; each must be there. */
  replace(places: Places): readonly (readonly [string, string])[]
  /** The file around those lines. */
  wrap(lines: string, places: Places): string
  argv(file: string, places: Places): readonly string[]
}

const KINDS = {
  nginx: {
    executable: "/usr/sbin/nginx",
    configuration: "nginx.conf",
    replace: ({ errors, log, port, upstream }) => [
      ["server 127.0.0.1:8080;", `server ${upstream};`],
      ["listen 443 ssl;", `listen 127.0.0.1:${port};`],
      ["  ssl_certificate /etc/ssl/media.example.pem;\n", ""],
      ["  ssl_certificate_key /etc/ssl/media.example.key;\n", ""],
      ["/var/log/nginx/safelight.log", log],
      ["/var/log/nginx/safelight-error.log", errors],
    ],
    wrap(lines, { folder }) {
      const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      const paths = kinds.map((kind) => `${kind}_temp_path ${join(folder, kind)};`).join(" ")
      const main = `daemon off; master_process off; pid ${join(folder, "pid")};`
      return `${main}\nevents {}\nhttp {\n${paths}\n${lines}\n}\n`
    },
    argv: (file, { folder }) => ["-p", folder, "-e", "stderr", "-c", file],
  },
  caddy: {
    executable: "/usr/bin/caddy",
    configuration: "Caddyfile",
    replace: ({ log, port, upstream }) => [
      ["# /etc/caddy/Caddyfile\n{\n", "{\n\tadmin off\n"],
      ["media.example {", `http://127.0.0.1:${port} {`],
      ["127.0.0.1:8080", upstream],
      ["/var/log/caddy/safelight.log", log],
    ],
    wrap: (lines) => lines,
    argv: (file) => ["run", "--adapter", "caddyfile", "--config", file],
  },
} as const satisfies Readonly<Record<string, Kind>>

/** For `{ skip }`: why it can't be had here. Under CI it is tried, and fails. */
export function skipWithout(kind: ProxyKind): string | false {
  const { executable } = KINDS[kind]
  return existsSync(executable) || process.env["CI"] !== undefined ? false : `no ${executable}`
}

/** Resolves once it answers; rejects if it ends before. */
export async function startProxy(kind: ProxyKind, service: string): Promise<Proxy> {
  const own: Kind = KINDS[kind]
  const { path: folder, [Symbol.asyncDispose]: remove } = await createTemporaryFolder()
  const upstream = new URL(service).host
  const [log, errors] = ["requests.log", "errors.log"].map((name) => join(folder, name)) as [
    string,
    string,
  ]
  const places = { folder, log, errors, port: await findFreePort(), upstream }
  const [file, url] = [join(folder, "configuration"), `http://127.0.0.1:${places.port}`]
  await writeFile(file, own.wrap(readLines(own, places), places))
  await using written = await open(errors, "a")
  const env = { PATH: process.env["PATH"], HOME: folder }
  const child = spawn(own.executable, own.argv(file, places), {
    stdio: ["ignore", "ignore", written.fd],
    env,
  })
  await once(child, "spawn")
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${kind} ended with ${child.exitCode}`)
    return fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
  })
  return {
    url,
    readLog: () => readFileSync(log, "utf8"),
    readErrors: () => readFileSync(errors, "utf8"),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM")
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
      await remove()
    },
  }
}

function readLines({ configuration, replace }: Kind, places: Places): string {
  let lines = readFileSync(join(FOLDER, configuration), "utf8")
  for (const [from, to] of replace(places)) {
    if (!lines.includes(from)) throw new Error(`${configuration} has no line with ${from}`)
    lines = lines.replace(from, to)
  }
  return lines
}
