/** The approval policies that have a name. */
export const approvePolicies = ["never", "effects", "always"] as const;
export type PolicyName = (typeof approvePolicies)[number];
