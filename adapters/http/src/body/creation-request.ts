/**
 * The shape of a creation request (specification §2.3): exactly `model` and `parameters`. What is
 * inside of `parameters` is the model's to judge, by way of the service.
 */
import { refuseParameters, type RefusedParameter } from "../errors/refusal.ts"
import { toEcho } from "../request/echo.ts"
import { refuse, type CreationCode } from "./creation-refusals.ts"

export interface CreationRequest {
  readonly model: string
  readonly parameters: object
}

/** Throws a `Refusal` that names everything wrong with the shape. */
export function parseCreationRequest(body: unknown): CreationRequest {
  if (!isObject(body)) {
    throw refuse("invalid_type", { message: "The request body must be a JSON object." })
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
  if (first !== undefined) throw refuseParameters(refuse, [first, ...more])
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
): RefusedParameter<CreationCode>[] {
  if (isRight) return []
  if (members.has(param)) {
    return [{ param, code: "invalid_type", message: `${param} must be ${words}.` }]
  }
  return [{ param, code: "missing_required_parameter", message: `${param} is required.` }]
}

function findUnknown(members: ReadonlyMap<string, unknown>): RefusedParameter<CreationCode>[] {
  const names = Array.from(members.keys()).filter((name) => !["model", "parameters"].includes(name))
  return names.map((name) => {
    const param = toEcho(name)
    return { param, code: "unknown_parameter", message: `${param} is not a known parameter.` }
  })
}
