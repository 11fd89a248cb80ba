/** An example as its user starts it: from its own folder of the installed project. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { OUTSIDE_NPM } from "./pack-packages.ts"

export interface ExampleServer extends AsyncDisposable {
  readonly url: string
  /** Empty where the example prints none. */
  readonly key: string
  /** Ends it as a supervisor would; resolves to its exit code, or the signal that ended it. */
  stop(): Promise<number | NodeJS.Signals | null>
}

/**
 * `path` is such as `examples/hono/server.ts`. Resolves once it has printed its address; rejects if it ends before.
 */
export async function startExample(
  folder: string,
  path: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<ExampleServer> {
  const cwd = join(folder, "running", dirname(path))
  await mkdir(cwd, { recursive: true })
  const script = join(folder, path)
  const env = { ...OUTSIDE_NPM, PORT: "0", ...environment }
  const child = spawn(process.execPath, [script], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  })
  const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>
  const stop = async (): Promise<number | NodeJS.Signals | null> => {
    child.kill("SIGTERM")
    const [code, signal] = await exited
    return code ?? signal
  }
  for await (const line of createInterface({ input: child.stdout })) {
    const [url = "", key = ""] = line.split(" ")
    if (url.startsWith("http://127.0.0.1:")) {
      return { url, key, stop, [Symbol.asyncDispose]: async () => void (await stop()) }
    }
  }
  throw new Error(`${path} ended with ${String((await exited)[0])} before it listened`)
}
