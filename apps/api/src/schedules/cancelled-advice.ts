/** Says what to do about an id that belongs to a cancelled schedule. */
export const cancelledAdvice = (id: string) =>
  `the schedule ${id} was cancelled; put it back with PUT /v1/schedules/${id}, or free the id with DELETE /v1/schedules/${id}?purge=true`;
