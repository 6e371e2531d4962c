/** Whether a header of this name usually has a secret. The only place that decides it. */
export function isSecretHeader(name: string): boolean {
  return /auth|cookie|key|token|secret|password|signature/i.test(name);
}
