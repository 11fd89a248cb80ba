/** What answers where a configuration has its service listen. */
import type { ReadConfiguration } from "../configuration/configuration.ts"
import { askAddress, type AddressAnswer } from "./ask-address.ts"

export type Place = Pick<ReadConfiguration, "host" | "port">

/** The address by which this machine reaches a listener on every interface. */
const NEAR: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" }

/** With port 0 there is nothing to ask. Never rejects. */
export async function askService(
  { host, port }: Place,
  patienceMs: number,
): Promise<AddressAnswer> {
  if (port === 0) return { kind: "failed", code: "ECONNREFUSED" }
  const near = NEAR[host] ?? host
  const literal = near.includes(":") ? `[${near}]` : near
  return askAddress(`http://${literal}:${port}/readyz`, AbortSignal.timeout(patienceMs))
}
