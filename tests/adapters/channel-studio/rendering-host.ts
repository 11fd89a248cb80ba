/** A host of the studio as a process of its own, in the middle of a rendering that takes minutes. */
import { spawn, type ChildProcess } from "node:child_process"
import { VIDEO } from "./test-studio.ts"

export function startRenderingHost(env: NodeJS.ProcessEnv = process.env): ChildProcess {
  const script = `
    import { createStudioChannel } from "@safelight/channel-studio"
    const studio = createStudioChannel({ media: { open() {} }, workers: 1 })
    const parameters = { duration: 30, resolution: "1080p" }
    const { signal } = new AbortController()
    const request = { task: "t", account: "a", model: "${VIDEO}", parameters, upstreamKey: "k", signal }
    void studio.poll({ ...request, operation: { key: "k" }, progress: 99 })`
  const flags = ["--conditions=@safelight/source", "--input-type=module", "--eval", script]
  return spawn(process.execPath, flags, { cwd: import.meta.dirname, env, stdio: "ignore" })
}
