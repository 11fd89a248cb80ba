/**
 * A bucket that takes everything, and of it keeps its mark and the sizes alone: enough for a service to store to. A
 * test lets it keep some requests waiting, or refuse everything, and counts the checks that write to it.
 */
import type { TestContext } from "node:test"
import type { Configuration } from "safelight"
import { serve } from "../../support/misbehaving-server.ts"

export interface ScriptedBucket {
  /** What a configuration says of it. */
  readonly place: Pick<Configuration, "artifacts" | "credentials">
  /** How many checks have begun: each stores an object. */
  countChecks(): number
  /** Keeps the requests that match `METHOD /path` waiting from now on. */
  hold(pattern: RegExp): void
  /** Resolves once a request waits. */
  holds(): Promise<void>
  /** Answers what waits, and holds nothing from now on. */
  release(): void
  /** Answers all with 403 from now on, or no more. */
  refuse(isRefusing: boolean): void
}

/** Ends with the test. */
export async function startBucket(t: TestContext): Promise<ScriptedBucket> {
  const held: (() => void)[] = []
  let isHolding = Promise.withResolvers<void>()
  let pattern: RegExp | undefined
  let isRefusing = false
  let checks = 0

  let mark: Buffer | undefined
  const sizes = new Map<string, string | undefined>()
  const server = await serve(t, (request, response) => {
    const { method, headers } = request
    // The client names its operation in the query, which says nothing of the object.
    const url = (request.url ?? "").replace(/[?&]x-id=\w+/, "")
    const line = `${method} ${url}`
    if (/^PUT .*\/\.check\//.test(line)) checks += 1
    if (method === "PUT") sizes.set(url, headers["content-length"])
    const body: Buffer[] = []
    const isMark = url.endsWith("/.safelight/mark")
    const answer = (): void => {
      if (isMark && !isRefusing) {
        if (method === "PUT") mark = Buffer.concat(body)
        else if (mark === undefined) response.statusCode = 404
        response.end(method === "PUT" ? undefined : (mark ?? NO_SUCH_KEY))
        return
      }
      const size = method === "HEAD" ? { "content-length": sizes.get(url) ?? "0" } : {}
      response.writeHead(isRefusing ? 403 : 200, { etag: '"0"', ...size })
      response.end(method === "GET" && !isRefusing ? toListing(url) : undefined)
    }
    // Its body is read in any case: the connection is used again.
    request.on("data", (chunk: Buffer) => void (isMark && body.push(chunk)))
    request.once("end", () => {
      if (pattern?.test(line) !== true) return answer()
      held.push(answer)
      return isHolding.resolve()
    })
  })

  return {
    place: {
      artifacts: `s3://artifacts?endpoint=${server.origin}`,
      credentials: { accessKeyId: "id", secretAccessKey: "secret" },
    },
    countChecks: () => checks,
    hold(matches) {
      pattern = matches
      isHolding = Promise.withResolvers<void>()
    },
    holds: () => isHolding.promise,
    release() {
      pattern = undefined
      for (const answer of held.splice(0)) answer()
    },
    refuse: (refuses) => void (isRefusing = refuses),
  }
}

const NO_SUCH_KEY = "<Error><Code>NoSuchKey</Code></Error>"

function toListing(url: string): string {
  const root = url.includes("uploads") ? "ListMultipartUploadsResult" : "ListBucketResult"
  return `<${root}></${root}>`
}
