/**
 * What holds where the host says nothing. The region is a default for servers of one's own only,
 * which mostly ignore it; with Amazon's it has to be named, since it is part of the address.
 */
export const DEFAULTS = {
  /** What MinIO, Ceph and others take when they were told nothing else. */
  region: "us-east-1",
  /**
   * 5 MiB, the least that S3 takes. It takes 10,000 parts at most, so this carries 48 GiB; each
   * running put may hold three of them: 64 puts at once 960 MiB.
   */
  partBytes: 5 * 1024 * 1024,
  /** The first and four more: with the waits between, throttling of some seconds is sat out. */
  tries: 5,
  /** Without a byte in either direction; S3 keeps even a slow completion alive by white space. */
  idleTimeoutMs: 30_000,
  /** 24 h: as long as orphans of a finished task stay (design §7), far beyond any time-out. */
  staleAfterMs: 24 * 60 * 60 * 1000,
} as const
