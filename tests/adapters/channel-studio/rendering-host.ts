/** A host of the studio as a process of its own, in the middle of a rendering that does not end. */
import { spawn, type ChildProcess } from "node:child_process"
import { LOOPING_WEBM } from "./hostile-media.ts"
import { VIDEO } from "./test-studio.ts"

export function startRenderingHost(env: NodeJS.ProcessEnv = process.env): ChildProcess {
  const script = `
    import { createStudioChannel } from "@safelight/channel-studio"
    const film = Buffer.from("${LOOPING_WEBM.toString("base64")}", "base64")
    const media = { open: async () => ({ kind: "video", mimeType: "video/webm", body: [film] }) }
    const studio = createStudioChannel({ media, workers: 1 })
    const parameters = { duration: 4, video_urls: ["https://media.test/film"] }
    const { signal } = new AbortController()
    const request = { task: "t", account: "a", model: "${VIDEO}", parameters, upstreamKey: "k", signal }
    void studio.poll({ ...request, operation: { key: "k" }, progress: 99 })`
  const flags = ["--conditions=@safelight/source", "--input-type=module", "--eval", script]
  return spawn(process.execPath, flags, { cwd: import.meta.dirname, env, stdio: "ignore" })
}
