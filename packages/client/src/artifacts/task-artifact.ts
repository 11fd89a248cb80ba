/**
 * One artifact of a task, to be fetched in whichever way the caller needs it. Nothing is asked of the
 * service before a method is called.
 */
import { clientError } from "../api-error.ts"
import { isArtifactLink } from "../api/check-answers.ts"
import { toArtifactPath, withQuery } from "../api/paths.ts"
import type { Connection } from "../connection/connection.ts"
import { startDownload, type Download, type DownloadOptions } from "./download.ts"

export interface LinkOptions {
  /** 1 to 604,800; a day by default. A link never outlives its artifact. */
  readonly expiresInSeconds?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** Every download is resumed where it breaks off, and its SHA-256 is checked at its end. */
export interface TaskArtifact {
  readonly key: string
  /**
   * Writes it to a file, which is replaced, and whose folder is made. The file is whole, or as it was.
   * Rejects with `no_file_system` in a browser or an edge runtime, and as the file system does.
   */
  saveTo(path: string, options?: DownloadOptions): Promise<void>
  /**
   * The bytes as they come. The stream fails at its end, and not before, if they are not the right ones:
   * what is made of them counts once it has ended. Cancel it, or read it to its end.
   */
  stream(options?: DownloadOptions): Promise<ReadableStream<Uint8Array>>
  /** All of it in memory. */
  blob(options?: DownloadOptions): Promise<Blob>
  /**
   * The address of a private link, which opens the artifact in a player or a page without a key, for
   * whoever has it. The API key needs `links:write`.
   */
  url(options?: LinkOptions): Promise<string>
}

export function createTaskArtifact(
  connection: Connection,
  task: string,
  key: string,
): TaskArtifact {
  const path = toArtifactPath(task, key)
  const start = (options: DownloadOptions): Promise<Download> =>
    startDownload(connection, `${path}/content`, options)

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
    async url({ expiresInSeconds, signal } = {}) {
      // It neither stores nor costs anything, so that another try does no harm.
      const address = withQuery(`${path}/links`, { expires_in: expiresInSeconds })
      const request = { method: "POST", path: address, signal } as const
      const made = await connection.retry(() => connection.ask(request, isArtifactLink), { signal })
      return made.value.url
    },
  }
}

type SaveFile = (path: string, pieces: AsyncIterable<Uint8Array>) => Promise<void>

/** Bundlers for browsers put an empty module in its place. */
async function loadSaveFile(): Promise<SaveFile> {
  const loaded: { readonly saveFile?: SaveFile } = await import("./save-file.ts").catch(
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
    // Nothing is read ahead of its reader.
    { highWaterMark: 0 },
  )
}
