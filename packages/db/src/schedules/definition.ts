/**
 * SQL that joins a run to its definition: the current definition of the schedule, or an earlier one that an edit has
 * replaced. `run` is an alias with the columns schedule_id and version.
 */
export const definitionOf = (run: string) => `cross join lateral (
    select key, timing, plan, payload::text from carillon.schedules
    where id = ${run}.schedule_id and definition_version = ${run}.version
    union all
    select s.key, v.timing, v.plan, v.payload::text
    from carillon.schedule_versions v join carillon.schedules s on s.id = v.schedule_id
    where v.schedule_id = ${run}.schedule_id and v.version = ${run}.version
    limit 1
  ) as definition`;
