/**
 * The rules of a bucket's lifecycle that take artifacts away or out of reach: what an operator would otherwise learn
 * from the first artifact that is missing. Few roles may read the rules; a bucket that does not tell them has none.
 */
import { GetBucketLifecycleConfigurationCommand, type LifecycleRule } from "@aws-sdk/client-s3"
import { createBucket } from "./bucket.ts"
import { toSettings, type S3ArtifactsOptions } from "./s3-options.ts"

export interface HarmfulRule {
  /** Empty if the bucket gave it none of its own. */
  readonly id: string
  readonly effect: "archives" | "removes"
}

/** Classes that have to be restored before they are read. */
const ARCHIVES: ReadonlySet<string | undefined> = new Set(["DEEP_ARCHIVE", "GLACIER"])

/** Throws `invalid-configuration`; resolves to none, also if the bucket refuses to tell. */
export async function findHarmfulRules(
  options: S3ArtifactsOptions,
): Promise<readonly HarmfulRule[]> {
  const bucket = createBucket(toSettings(options))
  const command = new GetBucketLifecycleConfigurationCommand({ Bucket: bucket.name })
  const answer = await bucket.ask("reading the lifecycle", command, {
    refused: () => "untold" as const,
  })
  const rules = answer === "untold" ? [] : (answer.Rules ?? [])
  return rules
    .filter((rule) => rule.Status === "Enabled" && isAboutArtifacts(rule, bucket.prefix))
    .flatMap((rule) => {
      const effect = toEffect(rule)
      return effect === undefined ? [] : [{ id: rule.ID ?? "", effect }]
    })
}

/** Artifacts have no tags. */
function isAboutArtifacts({ Filter = {}, Prefix }: LifecycleRule, prefix: string): boolean {
  const { And: all = {}, Tag } = Filter
  if (Tag !== undefined || (all.Tags ?? []).length > 0) return false
  const begin = Filter.Prefix ?? all.Prefix ?? Prefix ?? ""
  return begin.startsWith(prefix) || prefix.startsWith(begin)
}

function toEffect({
  Expiration,
  Transitions = [],
}: LifecycleRule): HarmfulRule["effect"] | undefined {
  // Without a time it removes only what marks a removed object.
  if (Expiration?.Days !== undefined || Expiration?.Date !== undefined) return "removes"
  return Transitions.some((each) => ARCHIVES.has(each.StorageClass)) ? "archives" : undefined
}
