/**
 * The shape of a creation request (specification §2.3): exactly `model` and `parameters`. What is
 * inside of `parameters` is the model's to judge, by way of the service.
 */
import { hideSecrets } from "@safelight/core"
import { Refusal, refuseParameters, type RefusedParameter } from "../errors/refusal.ts"

export interface CreationRequest {
  readonly model: string
  readonly parameters: object
}

/** Echoed input is cut here (http-decisions §2). */
const ECHO_CHARACTERS = 100
/** An address may open what it names, and a data URL is what it holds. */
const URL_TEXT = /\b(?:[a-z][a-z\d+.-]*:\/\/|data:)\S*/gi

/** Throws a `Refusal` that names everything wrong with the shape. */
export function parseCreationRequest(body: unknown): CreationRequest {
  if (!isObject(body)) {
    throw new Refusal("invalid_type", { message: "The request body must be a JSON object." })
  }
  // Own names only: `__proto__` is a member like any other in parsed JSON.
  const members = new Map(Object.entries(body))
  const model = members.get("model")
  const parameters = members.get("parameters")
  const [first, ...more] = [
    ...checkMember("model", members, typeof model === "string", "a string"),
    ...checkMember("parameters", members, isObject(parameters), "an object"),
    ...findUnknown(members),
  ]
  if (first !== undefined) throw refuseParameters([first, ...more])
  return { model: model as string, parameters: parameters as object }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function checkMember(
  param: string,
  members: ReadonlyMap<string, unknown>,
  isRight: boolean,
  words: string,
): RefusedParameter[] {
  if (isRight) return []
  if (members.has(param)) {
    return [{ param, code: "invalid_type", message: `${param} must be ${words}.` }]
  }
  return [{ param, code: "missing_required_parameter", message: `${param} is required.` }]
}

function findUnknown(members: ReadonlyMap<string, unknown>): RefusedParameter[] {
  const names = Array.from(members.keys()).filter((name) => !["model", "parameters"].includes(name))
  return names.map((name) => {
    const param = toEcho(name)
    return { param, code: "unknown_parameter", message: `${param} is not a known parameter.` }
  })
}

/**
 * Input as a message may repeat it: at most 100 characters, none of them cut in half, and neither
 * a secret nor a URL.
 */
export function toEcho(text: string): string {
  // Enough to see the whole of a secret that begins within what is shown.
  const shown = hideSecrets(text.slice(0, 4 * ECHO_CHARACTERS)).replaceAll(URL_TEXT, "…")
  // 100 code points are at most 200 code units.
  const characters = Array.from(shown.slice(0, 2 * ECHO_CHARACTERS + 2))
  const isCut = characters.length > ECHO_CHARACTERS
  const echo = isCut ? `${characters.slice(0, ECHO_CHARACTERS - 1).join("")}…` : shown
  return echo.toWellFormed()
}
