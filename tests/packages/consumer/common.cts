import { Carillon, CarillonError } from '@carillon/client';
import { describeRule } from '@carillon/recurrence';

import carillon = require('carillon');

// The program of a user who loads the packages by `require`, with their types.

const handler = carillon.defineHandler({ name: 'common', run: ({ attempt }) => attempt.toFixed() });
const client: Carillon = new Carillon({ url: 'http://127.0.0.1:1', maxRetries: 0 });
const options: carillon.RunOptions = { handlers: [handler] };

client.health().catch((error: unknown) => {
  console.log(
    JSON.stringify({
      isOurError: error instanceof CarillonError,
      handlers: options.handlers?.map(({ name }) => name),
      run: typeof carillon.run,
      describeRule: typeof describeRule,
    }),
  );
});
