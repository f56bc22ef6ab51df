{{- define "carillon.labels" -}}
app.kubernetes.io/name: carillon
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "carillon.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "carillon.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "carillon.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- /*
The environment of a container. The argument is a dict: `root` is the context of the chart. If `optional` is true, no
Secret and no key has to exist. The preflight container needs that: otherwise its pod would not start if a key is
missing, and could not name it.
*/ -}}
{{- define "carillon.env" -}}
{{- $values := .root.Values -}}
- name: MIGRATE_ON_START
  value: "false"
- name: DATABASE_URL
  valueFrom:
    secretKeyRef: { name: {{ $values.secrets.database | quote }}, key: DATABASE_URL, optional: {{ .optional }} }
- name: DATABASE_DIRECT_URL
  valueFrom:
    secretKeyRef: { name: {{ $values.secrets.database | quote }}, key: DATABASE_DIRECT_URL, optional: true }
- name: REDIS_URL
  valueFrom:
    secretKeyRef: { name: {{ $values.secrets.redis | quote }}, key: REDIS_URL, optional: {{ .optional }} }
- name: CARILLON_ADMIN_KEY
  valueFrom:
    secretKeyRef: { name: {{ $values.secrets.keys | quote }}, key: CARILLON_ADMIN_KEY, optional: {{ .optional }} }
- name: CARILLON_ENCRYPTION_KEY
  valueFrom:
    secretKeyRef: { name: {{ $values.secrets.keys | quote }}, key: CARILLON_ENCRYPTION_KEY, optional: {{ .optional }} }
{{- range $name, $value := $values.env }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- range $values.extraEnv }}
{{- $entry := deepCopy . }}
{{- if $.optional }}
{{- range pick (get $entry "valueFrom" | default dict) "secretKeyRef" "configMapKeyRef" }}{{ $_ := set . "optional" true }}{{ end }}
{{- end }}
{{ toYaml (list $entry) }}
{{- end }}
{{- end }}

{{- define "carillon.pod" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
automountServiceAccountToken: false
volumes:
  - name: tmp
    emptyDir: {}
  - name: data
    emptyDir: {}
{{- with .Values.extraVolumes }}
{{ toYaml . | indent 2 }}
{{- end }}
{{- end }}

{{- define "carillon.volumeMounts" -}}
- { name: tmp, mountPath: /tmp }
- { name: data, mountPath: /data }
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}
