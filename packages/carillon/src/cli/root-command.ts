import { carillonCommand, completion, type Group, group } from '@carillon/client/command-line';
import { doctor } from './doctor-command.js';
import { serverCommands } from './server-commands.js';

/** The commands of the package `carillon`: all commands of the client, the server commands and `doctor`. */
export const rootCommand: Group = group({
  ...carillonCommand,
  commands: [
    ...serverCommands,
    doctor,
    ...carillonCommand.commands.filter(({ name }) => name !== 'completion'),
    completion(() => rootCommand),
  ],
});
