/**
 * A Redis server for the run, where `redis-server` is installed: on a free port of the loopback, in a
 * temporary folder, its append-only file synced each second. A shell beside it holds a pipe and ends
 * it when the pipe closes, so it never outlives the process that started it.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"
import { createInterface } from "node:readline"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { findFreePort } from "../../support/free-port.ts"

export interface RedisServer extends AsyncDisposable {
  readonly port: number
}

const GUARD = `"$@" & server=$!
exec >/dev/null
cat <&3 >/dev/null
kill -TERM $server 2>/dev/null
wait $server`

/** Undefined where there is no `redis-server` in the PATH. */
export async function startRedis(): Promise<RedisServer | undefined> {
  const binary = (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "redis-server"))
    .find(isExecutable)
  if (binary === undefined) return undefined
  const folder = await createTemporaryFolder()
  const port = await findFreePort()
  const settings = {
    "--bind": "127.0.0.1",
    "--port": `${port}`,
    "--dir": folder.path,
    "--save": "",
    "--appendonly": "yes",
    "--appendfsync": "everysec",
  }
  const child = spawn(
    "/bin/sh",
    ["-c", GUARD, "redis", binary, ...Object.entries(settings).flat()],
    {
      stdio: ["ignore", "pipe", "ignore", "pipe"],
    },
  )
  const exited = once(child, "exit")
  if (child.stdout === null) throw new TypeError("the server's words are not heard")
  const lines = createInterface({ input: child.stdout })
  const words: string[] = []
  await new Promise<void>((resolve, reject) => {
    lines.on("line", (line) => {
      words.push(line)
      if (line.includes("Ready to accept connections")) resolve()
    })
    lines.once("close", () => reject(new Error(`Redis ended: ${words.join("\n")}`)))
  })
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.stdio[3]?.destroy()
      await exited
      await folder[Symbol.asyncDispose]()
    },
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
