/**
 * nginx on one folder with sendfile, from a configuration of our own and in one process that ends
 * with the benchmark: the machine's own nginx, where it runs, is left alone.
 */
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { findFreePort } from "../support/free-port.ts"

export interface Nginx extends AsyncDisposable {
  readonly url: string
}

/** Resolves once it serves `root`; to undefined where no nginx is installed. */
export async function startNginx(root: string): Promise<Nginx | undefined> {
  const folder = await createTemporaryFolder()
  const port = await findFreePort()
  const file = join(folder.path, "nginx.conf")
  await writeFile(file, toConfiguration(folder.path, root, port))
  const child = await run(["-p", folder.path, "-e", "stderr", "-c", file])
  if (child === undefined) {
    await folder[Symbol.asyncDispose]()
    return undefined
  }
  // Where the benchmark fails, nobody disposes of it.
  process.once("exit", () => child.kill("SIGTERM"))
  await untilListening(child, port)
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM")
      if (child.exitCode === null) await once(child, "exit")
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** Undefined where there is no such program. */
async function run(argv: readonly string[]): Promise<ChildProcess | undefined> {
  // Debian keeps it where an ordinary user's PATH does not look.
  const env = { ...process.env, PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/usr/local/sbin` }
  const child = spawn("nginx", argv, { stdio: ["ignore", "ignore", "inherit"], env })
  try {
    await once(child, "spawn")
    return child
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}

function toConfiguration(folder: string, root: string, port: number): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join(" ")
  return [
    `daemon off; master_process off; pid ${join(folder, "pid")};`,
    "events {}",
    `http { access_log off; sendfile on; tcp_nopush on; ${temporary}`,
    `server { listen 127.0.0.1:${port}; root ${root}; } }`,
  ].join("\n")
}

async function untilListening(child: ChildProcess, port: number): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`)
    const socket = connect(port, "127.0.0.1")
    try {
      await once(socket, "connect")
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ECONNREFUSED") throw error
    } finally {
      socket.destroy()
    }
  }
}
