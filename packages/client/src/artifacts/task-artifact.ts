/** One artifact of a task and the ways to fetch it. No request is sent before a method is called. */
import { clientError } from "../connection/api-error.ts"
import type { ArtifactLink } from "../api/answers.ts"
import { isArtifactLink } from "../api/check-answers.ts"
import { toArtifactPath, withQuery } from "../api/paths.ts"
import type { Connection } from "../connection/connection.ts"
import { startDownload, type Download, type DownloadOptions } from "./download.ts"

export interface LinkOptions {
  /** 1 to 604,800; a day by default. A link never outlives its artifact. */
  readonly expiresInSeconds?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** Every download is resumed if it breaks off, and its SHA-256 is checked at its end. */
export interface TaskArtifact {
  readonly key: string
  /**
   * Writes a file, replacing one of that name and creating its folder. If it rejects, the file is as it
   * was before. Rejects with `no_file_system` in a browser, and with the file system's own errors.
   */
  saveTo(path: string, options?: DownloadOptions): Promise<void>
  /**
   * The bytes as they arrive. If they are wrong, the stream fails only at its end: don't rely on them
   * before. Read it to its end or cancel it.
   */
  stream(options?: DownloadOptions): Promise<ReadableStream<Uint8Array>>
  /** All bytes, in memory. */
  blob(options?: DownloadOptions): Promise<Blob>
  /**
   * Makes a private link: an address that opens the artifact without a key, for a player or a page. The
   * API key needs the scope `links:write`.
   */
  url(options?: LinkOptions): Promise<string>
  /** The same, with the moment at which the link ends. */
  link(options?: LinkOptions): Promise<ArtifactLink>
}

export function createTaskArtifact(
  connection: Connection,
  task: string,
  key: string,
): TaskArtifact {
  const path = toArtifactPath(task, key)
  const start = (options: DownloadOptions): Promise<Download> =>
    startDownload(connection, `${path}/content`, options)

  async function link({ expiresInSeconds, signal }: LinkOptions): Promise<ArtifactLink> {
    const address = withQuery(`${path}/links`, { expires_in: expiresInSeconds })
    const request = { method: "POST", path: address, signal } as const
    // It is safe to repeat: links are not stored and cost nothing.
    const made = await connection.retry(() => connection.ask(request, isArtifactLink), { signal })
    return made.value
  }

  return {
    key,
    async saveTo(file, options = {}) {
      const saveFile = await loadSaveFile()
      const download = await start(options)
      try {
        await saveFile(file, download.pieces)
      } finally {
        await download.cancel()
      }
    },
    async stream(options = {}) {
      return toStream(await start(options))
    },
    async blob(options = {}) {
      const { mimeType: type, pieces } = await start(options)
      const parts: Uint8Array<ArrayBuffer>[] = []
      for await (const piece of pieces) parts.push(piece as Uint8Array<ArrayBuffer>)
      return new Blob(parts, { type })
    },
    url: async (options = {}) => (await link(options)).url,
    link: (options = {}) => link(options),
  }
}

type SaveFile = (path: string, pieces: AsyncIterable<Uint8Array>) => Promise<void>

/** `package.json` maps the name to `no-save-file.ts` where there is no Node. A page without a bundler has no such map. */
async function loadSaveFile(): Promise<SaveFile> {
  const loaded: { readonly saveFile?: SaveFile } = await import("#save-file").catch(
    (cause: unknown) => {
      throw noFileSystem(cause)
    },
  )
  if (loaded.saveFile === undefined) throw noFileSystem()
  return loaded.saveFile
}

function noFileSystem(cause?: unknown): Error {
  const message = "saveTo needs a file system, which this runtime lacks: take stream or blob"
  return clientError("no_file_system", message, { cause })
}

function toStream({ cancel, pieces }: Download): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      cancel,
    },
    // Nothing is read ahead.
    { highWaterMark: 0 },
  )
}
