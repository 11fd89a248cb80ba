/**
 * Defaults of the options. The region has a default only for servers of one's own, most of which ignore it. For
 * Amazon's it is required, since it is part of the address.
 */
export const DEFAULTS = {
  /** The default of MinIO, Ceph and others. */
  region: "us-east-1",
  /**
   * 5 MiB, the least that S3 takes. It takes 10,000 parts at most, so this carries 48 GiB; each
   * running put may hold two of them: 64 puts at once 640 MiB.
   */
  partBytes: 5 * 1024 * 1024,
  /** The first and four more: with the waits between them, they outlast some seconds of throttling. */
  tries: 5,
  /** Without a byte in either direction; S3 keeps even a slow completion alive by white space. */
  idleTimeoutMs: 30_000,
  /** 24 h: as long as orphans of a finished task stay (design §7), far beyond any time-out. */
  staleAfterMs: 24 * 60 * 60 * 1000,
} as const
