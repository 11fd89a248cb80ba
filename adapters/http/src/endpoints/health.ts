/**
 * /healthz says that the process answers, /readyz that it can serve. The first never asks the database, or
 * a slow one would get every node restarted. Neither needs a key.
 */
import * as v from "valibot"
import { defineBody } from "../bodies/body.ts"
import { defineEndpoint } from "../pipeline/endpoint.ts"
import type { Services } from "../pipeline/services.ts"

const ALIVE = { status: "ok" } as const
const READY = { status: "ready" } as const

const liveness = defineBody("Liveness", ALIVE, { status: v.literal("ok") })
const readiness = defineBody("Readiness", READY, { status: v.literal("ready") })

export const showLiveness = defineEndpoint({
  method: "GET",
  path: "/healthz",
  about: { id: "getLiveness", tag: "Health", summary: "Whether the process answers" },
  answers: { 200: { description: "It does.", json: liveness } },
  refusals: [],
}).handle((_services: object) => (call) => call.reply(200, ALIVE))

export const showReadiness = defineEndpoint({
  method: "GET",
  path: "/readyz",
  about: { id: "getReadiness", tag: "Health", summary: "Whether the service could serve" },
  answers: { 200: { description: "It could.", json: readiness } },
  refusals: ["service_unavailable"],
}).handle(({ checkReady, log }: Pick<Services, "checkReady" | "log">) => async (call) => {
  try {
    await checkReady()
  } catch (cause) {
    log.warn({ requestId: call.requestId, error: cause }, "not ready")
    throw call.refuse("service_unavailable", { headers: { "retry-after": "5" } })
  }
  return call.reply(200, READY)
})
