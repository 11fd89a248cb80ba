/** The task API with one artifact of 100 MiB, in a process of its own that tells its memory. */
import { once } from "node:events"
import { startServer, type ChildServer } from "./child-server.ts"

export const ARTIFACT_BYTES = 100 * 1024 * 1024

interface Served {
  readonly url: string
  readonly key: string
  readonly id: string
  readonly locator: string
}

export interface ArtifactService extends AsyncDisposable {
  readonly url: string
  /** May read the artifact. */
  readonly key: string
  /** Of the artifact's content. */
  readonly path: string
  /** Below the folder of artifacts, where its file lies. */
  readonly locator: string
  /** Resident memory now. */
  rssBytes(): Promise<number>
}

/** `unverified`: what is read is not compared with the log. */
export async function startArtifactService(
  folder: string,
  reads: "verified" | "unverified" = "verified",
): Promise<ArtifactService> {
  const server: ChildServer<Served> = await startServer("artifact-server", folder, reads)
  const { url, key, id, locator } = server.announcement
  return {
    url,
    key,
    path: `/v1/tasks/${id}/artifacts/image_1/content`,
    locator,
    async rssBytes() {
      server.process.send("rss")
      const [message] = (await once(server.process, "message")) as [{ rssBytes: number }]
      return message.rssBytes
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
