/** What somebody who polls a task waits, while something else keeps the service busy. */
import autocannon from "autocannon"

export interface Polling {
  readonly url: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly durationS: number
}

/** The 99th percentile in milliseconds of 200 polls a second; throws where one fails. */
export async function pollLatency({ url, path, headers, durationS }: Polling): Promise<number> {
  const requests = [{ method: "GET", path, headers }] as const
  const result = await autocannon({
    url,
    connections: 4,
    duration: durationS,
    overallRate: 200,
    requests,
  })
  if (result.non2xx > 0 || result.errors > 0) throw new Error("a poll failed")
  return result.latency.p99
}
