import { group } from '../command.js';
import { crontab } from './import-crontab.js';
import { agenda, eventbridge, graphileWorker, kubernetes, nodeCron } from './import-from-files.js';
import { bullmq, pgBoss } from './import-from-stores.js';

export const importing = group({
  name: 'import',
  summary: 'Import schedules from other systems',
  details: `Every import reports the settings that have no equivalent in Carillon. --dry-run creates nothing, and --output writes a file for carillon plan and
carillon apply. Exit codes: 0 if everything can be imported, 1 if something can't.`,
  commands: [crontab, bullmq, pgBoss, graphileWorker, kubernetes, eventbridge, nodeCron, agenda],
  examples: [
    'crontab -l | carillon import crontab - --dry-run',
    'carillon import kubernetes manifests/ --target https://example.com/jobs --output schedules.yaml',
  ],
});
