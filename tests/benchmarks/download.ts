/**
 * 100 MiB over loopback to one reader that discards, the servers taking turns: `download_ratio` is
 * against `node:http` piping the same file, `download_nginx_ratio` against nginx with sendfile,
 * left out where that is not installed, `download_unverified_ratio` against ourselves without the hash of
 * what is read (`verifyReads: false`). Each is told for Node's usual reader and for a lighter one
 * (`…_reusing_…`). `download_rss_mb` is what the server's memory grew by meanwhile.
 */
import { basename, dirname, join } from "node:path"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { ARTIFACT_BYTES, startArtifactService } from "./artifact-service.ts"
import { startServer } from "./child-server.ts"
import { median, report } from "./measure.ts"
import { startNginx } from "./nginx.ts"
import { readDownload, type Download, type ReaderKind } from "./read-download.ts"

const MEBIBYTE = 1024 * 1024
const ROUNDS = 21

await using folder = await createTemporaryFolder()
await using own = await startArtifactService(folder.path)
await using otherFolder = await createTemporaryFolder()
await using unverified = await startArtifactService(otherFolder.path, "unverified")
const file = join(folder.path, "artifacts", own.locator)
await using pipe = await startServer<{ url: string }>("pipe-server", file)
await using nginx = await startNginx(dirname(file))

const bytes = ARTIFACT_BYTES
const downloads: Record<string, Download> = {
  own: { ...own, bytes },
  unverified: { ...unverified, bytes },
  pipe: { ...own, url: pipe.announcement.url, path: "/", bytes },
}
if (nginx !== undefined) {
  downloads["nginx"] = { ...own, url: nginx.url, path: `/${basename(file)}`, bytes }
}

/** Medians over the rounds: each server's MiB per second, and our own's over that of the others. */
async function compare(kind: ReaderKind, name: string): Promise<Record<string, number>> {
  const speeds = new Map<string, number[]>()
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [server, download] of Object.entries(downloads)) {
      const speed = await readDownload(download, kind)
      // The first is there to warm up.
      if (round >= 0) speeds.set(server, [...(speeds.get(server) ?? []), speed])
    }
  }
  function ratioTo(server: string): number {
    const others = speeds.get(server) ?? []
    return median((speeds.get("own") ?? []).map((speed, round) => speed / (others[round] ?? 0)))
  }
  return {
    [`${name}_ratio`]: ratioTo("pipe"),
    [`${name}_unverified_ratio`]: ratioTo("unverified"),
    ...(nginx === undefined ? {} : { [`${name}_nginx_ratio`]: ratioTo("nginx") }),
    ...Object.fromEntries(
      Array.from(speeds, ([server, each]) => [
        server === "own" ? `${name}_mib_per_s` : `${name}_${server}_mib_per_s`,
        median(each),
      ]),
    ),
  }
}

const before = await own.rssBytes()
const allocating = await compare("allocating", "download")
const reusing = await compare("reusing", "download_reusing")
const after = await own.rssBytes()
report({ ...allocating, ...reusing, download_rss_mb: (after - before) / MEBIBYTE })
