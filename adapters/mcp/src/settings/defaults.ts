/** Every number of the door that a host may want to know, each with its reason. */

export const DEFAULTS = {
  /** Ids of models in the schema of one tool: an agent pays a dozen tokens for each in every conversation. */
  listedModels: 64,
  /** Of the parameters' schemas in one tool, as JSON: about 4,000 tokens. */
  schemaCharacters: 16_384,
  /** Of all images in one result: in base64 well below the 1 MB that agents commonly take. */
  inlineBytes: 512 * 1024,
  /** How long a call waits for its task unless it says otherwise: agents commonly give a call 60 s. */
  waitSeconds: 50,
  /** How long it may ask to. */
  longestWaitSeconds: 600,
  /** Between the tries to stop the task of a cancelled call: a channel commonly knows its work within seconds. */
  cancelPausesMs: [500, 1_000, 2_000, 4_000],
  /** On standard input: the answers of all, with their images in base64, are 70 MB if nobody takes them. */
  callsAtOnce: 100,
  /** One message on standard input: an image of 20 MiB as a data URL, and room. */
  messageBytes: 32 * 1024 * 1024,
  /** A longer pause that the service asks for is told to the agent: its patience would end before. */
  longestRetryAfterMs: 10_000,
} as const
