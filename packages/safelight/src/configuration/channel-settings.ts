/** Who makes the tasks: the channels of a service, as its configuration names them. */
import { fields } from "@safelight/core"
import * as v from "valibot"

/** One channel as the file says it. */
export interface ChannelSettings {
  /** `studio`, or a provider that is built in. */
  readonly type: string
  /** Its name in the log of each task, which stays; the type by default. */
  readonly name?: string
  /** Public models that it may make; all that it can by default. */
  readonly models?: readonly string[]
  /** Lower tiers are asked first. */
  readonly tier?: number
  /** Its share within its tier. */
  readonly weight?: number
  /** Tasks at once, over all nodes. */
  readonly concurrency?: number
  /** In place of the provider's own address. */
  readonly baseUrl?: string
  /** The environment variable that holds its key, in place of the usual one. */
  readonly keyVariable?: string
}

const name = v.pipe(
  v.string(),
  v.regex(/^[a-z0-9][a-z0-9._-]{0,63}$/i, "expected a name of letters, digits, '.', '_' and '-'"),
)
const notAnUrl = "expected an http or https URL"
const whole = (max: number): v.GenericSchema<number> => {
  const message = `expected a whole number from 1 to ${max}`
  return v.pipe(
    v.number(message),
    v.integer(message),
    v.minValue(1, message),
    v.maxValue(max, message),
  )
}

const channelSchema = fields({
  type: v.string("expected a type, such as fal or studio"),
  name: v.exactOptional(name),
  models: v.exactOptional(
    v.pipe(v.array(v.string(), "expected a list of models"), v.nonEmpty("expected a model")),
  ),
  tier: v.exactOptional(whole(1_000)),
  weight: v.exactOptional(whole(1_000)),
  concurrency: v.exactOptional(whole(100_000)),
  baseUrl: v.exactOptional(
    v.pipe(
      v.string(notAnUrl),
      v.check((url) => /^https?:$/.test(URL.parse(url)?.protocol ?? ""), notAnUrl),
    ),
  ),
  keyVariable: v.exactOptional(
    v.pipe(v.string(), v.regex(/^[A-Z_][A-Z0-9_]*$/i, "expected the name of a variable")),
  ),
})

export const channelsSchema = v.pipe(
  v.array(channelSchema, "expected a list of channels"),
  v.nonEmpty("expected at least one channel"),
  v.check(
    (channels) => new Set(channels.map(toName)).size === channels.length,
    "two channels have one name",
  ),
)

/** What tasks call it: a name stays with every task that it made. */
export function toName({ name: given, type }: ChannelSettings): string {
  return given ?? type
}
