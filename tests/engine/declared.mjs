import { defineSchedule } from '@carillon/worker/define';

defineSchedule({
  name: 'every-second',
  every: 'PT1S',
  handler: ({ log }) => log.info('Declared schedule ran'),
});
