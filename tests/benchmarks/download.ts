/**
 * `download_ratio`: 100 MiB over loopback to one reader that discards, against `node:http` piping
 * the same file; `download_rss_mb` is what the server's memory grew by meanwhile.
 */
import { once } from "node:events"
import { connect } from "node:net"
import { join } from "node:path"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { startServer, type ChildServer } from "./child-server.ts"
import { median, report } from "./measure.ts"

const MEBIBYTE = 1024 * 1024
const SIZE_BYTES = 100 * MEBIBYTE
const ROUNDS = 9

interface Served {
  readonly url: string
  readonly key: string
  readonly id: string
  readonly place: string
}

/** Downloads once over a raw socket; resolves to MiB per second. */
async function download(url: string, path: string, key: string): Promise<number> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, "connect")
  const startedAt = performance.now()
  let received = 0
  socket.on("data", (chunk) => {
    received += chunk.length
  })
  const head = `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n`
  socket.write(`${head}Connection: close\r\n\r\n`)
  await once(socket, "close")
  if (received < SIZE_BYTES) throw new Error(`${url} sent ${received} bytes`)
  return (SIZE_BYTES / MEBIBYTE / (performance.now() - startedAt)) * 1000
}

async function rssBytes({ process: child }: ChildServer<Served>): Promise<number> {
  child.send("rss")
  const [message] = (await once(child, "message")) as [{ rssBytes: number }]
  return message.rssBytes
}

await using folder = await createTemporaryFolder()
await using own = await startServer<Served>("artifact-server", folder.path)
const { url, key, id, place } = own.announcement
const file = join(folder.path, "artifacts", place)
await using plain = await startServer<{ url: string }>("pipe-server", file)
const path = `/v1/tasks/${id}/artifacts/image_1/content`

await download(url, path, key)
await download(plain.announcement.url, "/", key)
const before = await rssBytes(own)
const rounds: { readonly own: number; readonly plain: number }[] = []
for (let round = 0; round < ROUNDS; round += 1) {
  const speed = await download(url, path, key)
  rounds.push({ own: speed, plain: await download(plain.announcement.url, "/", key) })
}
const after = await rssBytes(own)
report({
  download_ratio: median(rounds.map((each) => each.own / each.plain)),
  download_mib_per_s: median(rounds.map((each) => each.own)),
  download_pipe_mib_per_s: median(rounds.map((each) => each.plain)),
  download_rss_mb: (after - before) / MEBIBYTE,
})
